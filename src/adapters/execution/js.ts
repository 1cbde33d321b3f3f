/**
 * The kind js: QuickJS in WebAssembly, without a clock, without chance and without the host. The same bytes come to the same, since ticks
 * of its interrupt handler are counted instead of time.
 */
import { newQuickJSWASMModuleFromVariant, type QuickJSContext } from "quickjs-emscripten-core";
import type { KindInput } from "../../domain/compute/kinds.ts";
import type { Ran } from "../../domain/ports.ts";

const STACK_BYTES = 256 * 1024;
const MEGABYTE = 1024 * 1024;

/** Characters of an error that a program throws. */
const MOST_ERROR = 500;

export async function runJs({ code, args, limits }: KindInput<"js">): Promise<Ran> {
  const quickjs = await newQuickJSWASMModuleFromVariant(import("@jitl/quickjs-wasmfile-release-sync"));
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
  const wrapped = `JSON.stringify({ value: (${program})(${JSON.stringify(args)}) ?? null })`;
  const { value, error } = evaluate(context, wrapped);
  if (ticks > limits.ticks) return { exit: "limit", output: { limit: "ticks" } };
  if (error === undefined) return { exit: "ok", output: JSON.parse(String(value)) };
  const told = textOf(error);
  if (told.includes("out of memory")) return { exit: "limit", output: { limit: "memory" } };
  return { exit: "ok", output: { error: told } };
}

function evaluate(context: QuickJSContext, code: string): { value?: unknown; error?: unknown } {
  const result = context.evalCode(code, "task.js");
  const handle = result.error ?? result.value;
  const dumped: unknown = context.dump(handle);
  return result.error ? { error: dumped ?? "out of memory" } : { value: dumped };
}

function textOf(error: unknown): string {
  const { name = "", message = "" } = (
    typeof error === "object" && error !== null ? error : { message: error }
  ) as {
    name?: unknown;
    message?: unknown;
  };
  return `${String(name)}: ${String(message)}`.slice(0, MOST_ERROR);
}
