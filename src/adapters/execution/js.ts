/**
 * The kind js: QuickJS in WebAssembly, without clock, randomness or host. The same bytes give the same result,
 * because interrupt ticks and loop rounds are counted instead of time.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type CustomizeVariantOptions,
  type JSPromiseState,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import type { ExecutionResult } from "../../core/model/ports/executor.ts";
import type { KindInput } from "../../domain/compute/kinds.ts";
import { BUDGET, withCountedLoops } from "./counted-loops.ts";

const WASM = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");

/** Loop rounds that count as a tick, because native loops call no interrupt handler. Reading the program costs none. */
const ROUNDS_A_TICK = 20_000n;
const READING = 10_000_000n;

const STACK_BYTES = 256 * 1024;
const MEGABYTE = 1024 * 1024;
const PAGE_BYTES = 64 * 1024;
/** Initial memory: the stack and QuickJS's own needs. */
const OWN_MB = 16;

/**
 * Globals that reveal time, randomness or memory, and the resizing of buffers: QuickJS 2025-09-13 reads and writes
 * past a buffer that is resized while in use (bellard/quickjs issues 477, 478 and 492).
 */
const REMOVED = [
  "Date",
  "Math.random",
  "WeakRef",
  "FinalizationRegistry",
  "SharedArrayBuffer",
  ...["resize", "transfer", "transferToFixedLength"].map((name) => `ArrayBuffer.prototype.${name}`),
];

/** The imports of quickjs-wasmfile-release-sync 0.32.0 that a program needs, by the names in that build. */
const NEEDED = new Set([
  "a", // its memory
  "b", // assertion failed
  "q", // abort
  "k", // more memory
  "i", // the interrupt handler
  "g", // a module's name
  "h", // a module's source
  "s", // a host function: none exists
  "t", // a host value: none exists
]);

const MOST_ERROR = 500;

export async function runJs({ code, args, limits }: KindInput<"js">): Promise<ExecutionResult> {
  const { default: variant } = await import("@jitl/quickjs-wasmfile-release-sync");
  const wasmMemory = memoryOf(limits.memory_mb);
  let budget: { value: bigint } | undefined;
  const emscriptenModule = {
    instantiateWasm(imports: object, done: (instance: WasmInstance, module: object) => void) {
      void instantiate(withCountedLoops(readFileSync(WASM)), withoutHost(imports)).then(
        ({ instance, module }) => {
          budget = instance.exports[BUDGET] as typeof budget;
          done(instance, module);
        },
      );
      return {};
    },
  };
  // Its types belong to another module system.
  const options = { wasmMemory, emscriptenModule } as CustomizeVariantOptions;
  const bounded = newVariant(variant as unknown as QuickJSSyncVariant, options);
  const quickjs = await newQuickJSWASMModuleFromVariant(bounded);
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(limits.memory_mb * MEGABYTE);
  runtime.setMaxStackSize(STACK_BYTES);
  const context = runtime.newContext();
  evaluate(context, REMOVED.map((name) => `delete globalThis.${name};`).join(""));
  let ticks = 0;
  runtime.setInterruptHandler(() => ++ticks > limits.ticks);
  const program = `(function (args) { "use strict";\n${code}\n})`;
  // The arguments are parsed before the program, which may replace JSON.
  const wrapped = `(function (args) { return JSON.stringify({ value: (${program})(args) ?? null }) })(${literal(args)})`;
  budget!.value = READING + BigInt(limits.ticks) * ROUNDS_A_TICK;
  const ran = whileWithin(
    () => budget!.value,
    () => evaluate(context, wrapped),
  );
  if (ran === "spent") return { exit: "limit", output: { limit: "ticks" } };
  const { value, error } = ran;
  if (ticks > limits.ticks) return { exit: "limit", output: { limit: "ticks" } };
  if (error === undefined) return { exit: "ok", output: JSON.parse(String(value)) };
  const text = textOf(error);
  if (text.includes("out of memory")) return { exit: "limit", output: { limit: "memory" } };
  return { exit: "ok", output: { error: text } };
}

/** A trap with an empty budget is the limit; any other trap is a fault of the program. */
function whileWithin<Done>(left: () => bigint, work: () => Done): Done | "spent" {
  try {
    return work();
  } catch (error) {
    if (left() === 0n) return "spent";
    throw error;
  }
}

/**
 * The other imports are the host's clock, time zone, environment and stdout. They return 0, because a memory fault
 * of QuickJS could expose them to a program.
 */
function withoutHost(imports: object): object {
  const { a } = imports as { a: Record<string, unknown> };
  const nothing = () => 0;
  return {
    a: Object.fromEntries(Object.entries(a).map(([name, own]) => [name, NEEDED.has(name) ? own : nothing])),
  };
}

/** The language has these; the types of Node do not. */
const { Memory, instantiate } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
type Wasm = {
  Memory: MemoryClass;
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: WasmInstance; module: object }>;
};
type WasmInstance = { exports: Record<string, unknown> };
type MemoryClass = new (pages: { initial: number; maximum: number }) => BoundedMemory;
type BoundedMemory = Extract<NonNullable<CustomizeVariantOptions["wasmMemory"]>, object>;

/**
 * The machine's memory limits a program. QuickJS's own limit only stops a single large allocation: in WebAssembly
 * it counts small ones without their size.
 */
const memoryOf = (megabytes: number) =>
  new Memory({
    initial: (OWN_MB * MEGABYTE) / PAGE_BYTES,
    maximum: ((OWN_MB + megabytes) * MEGABYTE) / PAGE_BYTES,
  });

/** An object literal would not treat `__proto__` as a key. */
const literal = (args: unknown) => `JSON.parse(${JSON.stringify(JSON.stringify(args))})`;

function evaluate(context: QuickJSContext, code: string): { value?: unknown; error?: unknown } {
  const result = context.evalCode(code, "task.js");
  const handle = result.error ?? result.value;
  // Dumping a promise throws, because it uses the handle of its value after disposal.
  if (isPromise(context.getPromiseState(handle))) return { error: "[object Promise]" };
  const dumped: unknown = context.dump(handle);
  if (!result.error) return { value: dumped };
  if (context.typeof(handle) === "undefined") return { error: "undefined" };
  // It is null when there is no memory for the error either.
  return { error: dumped ?? "out of memory" };
}

const isPromise = (state: JSPromiseState) => state.type !== "fulfilled" || !state.notAPromise;

function textOf(error: unknown): string {
  const { name = "", message = "" } = (
    typeof error === "object" && error !== null ? error : { message: error }
  ) as {
    name?: unknown;
    message?: unknown;
  };
  return `${plain(name)}: ${plain(message)}`.slice(0, MOST_ERROR);
}

/** A thrown value need not convert to text. */
function plain(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "";
  }
}
