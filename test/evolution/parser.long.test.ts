/** The parser of third-party texts: each gets a verdict within its time, one at a time, and nothing remains. */
import { type ChildProcess, default as children } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createParser } from "../../src/adapters/parser.ts";
import { checksOf } from "../../src/domain/evolution/checks.ts";
import { endless } from "./drafts.ts";

const started: ChildProcess[] = [];
const { spawn } = children;
beforeAll(() => {
  children.spawn = ((...given: Parameters<typeof spawn>) => {
    const child = spawn(...given);
    started.push(child);
    return child;
  }) as typeof spawn;
  syncBuiltinESMExports();
});
afterAll(() => {
  children.spawn = spawn;
  syncBuiltinESMExports();
});

const parser = createParser();
/** Like the parser's own, but for the script: its input is the same. */
const scripted = (script: string, timeout_ms?: number) =>
  createParser({ program: ["/bin/sh", "-c", script], ...(timeout_ms && { timeout_ms }) });

test("TypeScript has no fault; other text has one, with its location", async () => {
  expect(await parser.typescript("export const a = <T,>(x: T): T => x;\n")).toBeUndefined();
  expect(await parser.typescript("const a = 1;\nconst = ;")).toEqual({ line: 2, column: 6 });
  // The process's own output does not count as the parser's verdict.
  expect(await parser.typescript('"    <stdin>:7:7:";\n    <stdin>:8:8:\n')).toMatchObject({ line: 2 });
});

test.each(Object.entries(endless))(
  "%s blocks no parser: the parser is killed, and the draft has failed",
  async (_, text) => {
    expect(text.length).toBeLessThan(102_400);
    started.length = 0;
    const draft = { target_file: "src/a.ts", bytes: Buffer.from(text) };
    const checks = await checksOf(draft, [], parser);
    expect(checks.find(({ name }) => name === "syntax")).toEqual({
      ...{ name: "syntax", passed: false },
      detail: "takes too long to be parsed, or too much memory",
    });
    // Ended by the system, or by itself where its memory was exhausted first.
    const ends = started.map(({ signalCode, exitCode }) => signalCode ?? exitCode);
    expect([["SIGKILL"], [2]]).toContainEqual(ends);
    // The next one has a parser of its own.
    expect(await parser.typescript("export {};")).toBeUndefined();
  },
);

test("one text is parsed at a time", async () => {
  const lock = join(tmpdir(), `tallystick-parser-${process.pid}`);
  const { typescript } = scripted(`mkdir ${lock} && sleep 0.1 && rmdir ${lock}`);
  expect(await Promise.all(Array.from({ length: 5 }, () => typescript("")))).toEqual(
    Array(5).fill(undefined),
  );
});

test("ten drafts wait; the eleventh gets a retry, which succeeds later", async () => {
  const { typescript } = scripted("sleep 0.1");
  const requests = await Promise.allSettled(Array.from({ length: 12 }, () => typescript("")));
  expect(requests.map(({ status }) => status)).toEqual([
    ...Array(10).fill("fulfilled"),
    ...Array(2).fill("rejected"),
  ]);
  expect(requests[11]).toMatchObject({
    reason: { code: "unavailable", retry_after_s: 5, message: expect.stringMatching("too many drafts wait") },
  });
  expect(await typescript("")).toBeUndefined();
});

test("a parser that runs out of time, or cannot be started, gives no verdict", async () => {
  started.length = 0;
  await expect(scripted("exec sleep 600", 100).typescript("")).rejects.toMatchObject({ code: "unavailable" });
  expect(started.map(({ signalCode }) => signalCode)).toEqual(["SIGKILL"]);
  for (const script of ["exit 127", "exit 1", "exit 2"])
    await expect(scripted(script).typescript("")).rejects.toMatchObject({ code: "unavailable" });
});

test("a parser that runs out of memory refuses the text as too large", async () => {
  const { typescript } = scripted("echo 'fatal error: runtime: out of memory' >&2; exit 2");
  expect(await typescript("")).toBe("endless");
});
