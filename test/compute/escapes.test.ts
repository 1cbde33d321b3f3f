/** Known escapes from QuickJS and vm2, tried against the kind js: none reaches the host, and none fails the node. */
import { afterEach, expect, test, vi } from "vitest";
import { runJs } from "../../src/adapters/execution/js.ts";
import type { KindInput } from "../../src/domain/compute/kinds.ts";

const js = (code: string) =>
  runJs({ code, args: null, limits: { ticks: 1_000, memory_mb: 32 } } as KindInput<"js">);

afterEach(() => vi.restoreAllMocks());

test("the machine starts without the host's clock, which would seed QuickJS's random numbers", async () => {
  const now = vi.spyOn(Date, "now");
  expect(await js("return 1")).toEqual({ exit: "ok", output: { value: 1 } });
  expect(now).not.toHaveBeenCalled();
});

test.each([
  ["with", "ta.with(0, { valueOf() { ab.resize(4); return 1 } })"],
  ["sort", "ta.sort((a, b) => { ab.resize(4); return a - b })"],
  [
    "constructed",
    "Reflect.construct(Uint8Array, [ab, 0, 64], new Proxy(function () {}, { get: () => ab.resize(4) }))",
  ],
  ["moved", "ta.fill({ valueOf() { ab.transfer(4); return 1 } })"],
  ["moved to another", "ta.fill({ valueOf() { ab.transferToFixedLength(4); return 1 } })"],
])("no buffer is resized during its use: %s", async (_, use) => {
  const code = `const ab = new ArrayBuffer(4096, { maxByteLength: 8192 }); const ta = new Int32Array(ab); ${use}`;
  expect(await js(code)).toEqual({ exit: "ok", output: { error: "TypeError: not a function" } });
});

test.each(["Promise.reject(1)", "Promise.resolve(2)", "new Promise(() => {})"])(
  "a thrown promise is the program's own error: %s",
  async (promise) => {
    expect(await js(`throw ${promise}`)).toEqual({ exit: "ok", output: { error: ": [object Promise]" } });
  },
);

test.each([
  [
    "the constructor of a function",
    "return (() => {}).constructor('return typeof process + typeof require')()",
  ],
  [
    "an error whose name is a symbol",
    "const e = new Error(); e.name = Symbol(); try { String(e) } catch (x) { return x.constructor.constructor('return typeof process + typeof require')() }",
  ],
  [
    "the frames of a stack",
    "Error.prepareStackTrace = (_, frames) => frames; return [].concat(new Error('x').stack).map((f) => typeof f?.getThis?.()?.process + 'undefined')[0]",
  ],
])("no host is reachable through %s", async (_, code) => {
  expect(await js(code)).toEqual({ exit: "ok", output: { value: "undefinedundefined" } });
});
