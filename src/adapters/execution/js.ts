/**
 * The kind js: QuickJS in WebAssembly, without a clock, without chance and without the host. The same bytes come to the same, since ticks
 * of its interrupt handler are counted instead of time.
 */
import {
  type CustomizeVariantOptions,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import type { KindInput } from "../../domain/compute/kinds.ts";
import type { Ran } from "../../domain/ports.ts";

const STACK_BYTES = 256 * 1024;
const MEGABYTE = 1024 * 1024;
const PAGE_BYTES = 64 * 1024;
/** What the machine begins with: its stack and what QuickJS itself needs. */
const OWN_MB = 16;

/** Characters of an error that a program throws. */
const MOST_ERROR = 500;

export async function runJs({ code, args, limits }: KindInput<"js">): Promise<Ran> {
  const { default: variant } = await import("@jitl/quickjs-wasmfile-release-sync");
  const wasmMemory = memoryOf(limits.memory_mb);
  // Its types are those of another module system.
  const bounded = newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory });
  const quickjs = await newQuickJSWASMModuleFromVariant(bounded);
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(limits.memory_mb * MEGABYTE);
  runtime.setMaxStackSize(STACK_BYTES);
  const context = runtime.newContext();
  evaluate(
    context,
    "delete globalThis.Date; delete Math.random; delete globalThis.WeakRef; delete globalThis.FinalizationRegistry;",
  );
  let ticks = 0;
  runtime.setInterruptHandler(() => ++ticks > limits.ticks);
  const program = `(function (args) { "use strict";\n${code}\n})`;
  // The arguments are read before anything of the program is: it may put something else in JSON's place.
  const wrapped = `(function (args) { return JSON.stringify({ value: (${program})(args) ?? null }) })(${literal(args)})`;
  const { value, error } = evaluate(context, wrapped);
  if (ticks > limits.ticks) return { exit: "limit", output: { limit: "ticks" } };
  if (error === undefined) return { exit: "ok", output: JSON.parse(String(value)) };
  const told = textOf(error);
  if (told.includes("out of memory")) return { exit: "limit", output: { limit: "memory" } };
  return { exit: "ok", output: { error: told } };
}

/** Of the language, and not among the types of Node. */
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: MemoryClass } }).WebAssembly;
type MemoryClass = new (pages: { initial: number; maximum: number }) => BoundedMemory;
type BoundedMemory = Extract<NonNullable<CustomizeVariantOptions["wasmMemory"]>, object>;

/**
 * What a program has is bounded by the memory that its machine has. QuickJS's own limit holds against one that is too large at once: of
 * what is taken piece by piece it counts the pieces alone in WebAssembly, where it cannot ask how large they are.
 */
const memoryOf = (megabytes: number) =>
  new Memory({
    initial: (OWN_MB * MEGABYTE) / PAGE_BYTES,
    maximum: ((OWN_MB + megabytes) * MEGABYTE) / PAGE_BYTES,
  });

/** In an object literal `__proto__` would be no key. */
const literal = (args: unknown) => `JSON.parse(${JSON.stringify(JSON.stringify(args))})`;

function evaluate(context: QuickJSContext, code: string): { value?: unknown; error?: unknown } {
  const result = context.evalCode(code, "task.js");
  const handle = result.error ?? result.value;
  const dumped: unknown = context.dump(handle);
  if (!result.error) return { value: dumped };
  if (context.typeof(handle) === "undefined") return { error: "undefined" };
  // Where there is no memory for the error either, it is null.
  return { error: dumped ?? "out of memory" };
}

function textOf(error: unknown): string {
  const { name = "", message = "" } = (
    typeof error === "object" && error !== null ? error : { message: error }
  ) as {
    name?: unknown;
    message?: unknown;
  };
  return `${plain(name)}: ${plain(message)}`.slice(0, MOST_ERROR);
}

/** What a program throws need not have a text. */
function plain(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "";
  }
}
