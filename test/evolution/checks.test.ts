/** Drafts are judged as texts: the findings of each check, and details that never quote a draft. */
import children from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createParser } from "../../src/adapters/parser.ts";
import { checksOf, isPath, likenessTo } from "../../src/domain/evolution/checks.ts";
import * as ideas from "../../src/domain/evolution/idea.ts";
import { fine, hostile } from "./drafts.ts";

const parser = createParser();

const judged = (
  draft: { target_file: string; draft: string },
  earlier: { idea_id: number; text: string }[] = [],
) => checksOf({ target_file: draft.target_file, bytes: Buffer.from(draft.draft) }, earlier, parser);

const failed = async (draft: { target_file: string; draft: string }) =>
  (await judged(draft)).filter(({ passed }) => !passed).map(({ name }) => name);

test("a draft without fault passes all eight checks", async () => {
  const checks = await judged(fine);
  expect(checks.map(({ name, passed }) => [name, passed])).toEqual(
    ["path", "encoding", "size", "secrets", "syntax", "imports", "lines", "likeness"].map((name) => [
      name,
      true,
    ]),
  );
});

/** The processes spawned, and the files opened by name, during some work. */
async function watched(work: () => Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  const restore: (() => void)[] = [];
  const watch = (of: object, names: readonly string[]) => {
    const functions = of as Record<string, (...given: unknown[]) => unknown>;
    for (const name of names) {
      const real = functions[name]!;
      functions[name] = (...given) => {
        seen.push(
          `${name} ${given.filter((one) => typeof one !== "function").map((one) => JSON.stringify(one))}`,
        );
        return real(...given);
      };
      restore.push(() => {
        functions[name] = real;
      });
    }
  };
  watch(children, ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"]);
  watch(fs, ["open", "openSync", "readFile", "readFileSync", "existsSync", "stat", "statSync"]);
  watch(fs.promises, ["open", "readFile", "stat", "access"]);
  syncBuiltinESMExports();
  try {
    await work();
    // Confirms that the spies work.
    children.execFileSync("true");
  } finally {
    for (const put of restore) put();
    syncBuiltinESMExports();
  }
  expect(seen.pop()).toBe('execFileSync "true"');
  return seen;
}

test("hostile drafts are only read: none runs, none is opened, none is quoted", async () => {
  expect(hostile.length).toBeGreaterThanOrEqual(30);
  const mark = join(tmpdir(), `tallystick-mark-${process.pid}`);
  const drafts = hostile.map((one) => ({ ...one, draft: one.draft.replaceAll("MARK", mark) }));
  const verdicts: ideas.Check[][] = [];
  // The parser's path is looked up for the first draft.
  await judged(fine);
  const seen = await watched(async () => {
    for (const one of drafts) verdicts.push(await judged(one));
  });
  // Each TypeScript draft starts the parser with the same arguments: the text comes by stdin.
  const parsed = drafts.filter(({ target_file }) => target_file.endsWith(".ts"));
  expect(seen).toHaveLength(parsed.length);
  expect([...new Set(seen)]).toEqual([
    expect.stringMatching(
      /^spawn "\/bin\/sh",\["-c",.*\/bin\/esbuild","--loader=ts",[^<>]*\],\{"cwd":"\/","env":\{\},/,
    ),
  ]);
  for (const [at, { target_file, draft, fails }] of drafts.entries()) {
    const checks = verdicts[at]!;
    const bad = checks.filter(({ passed }) => !passed).map(({ name }) => name);
    expect([target_file, ...bad]).toEqual([target_file, ...(fails ? [fails] : [])]);
    // Any eight characters of it together would be a quotation.
    const details = checks.map(({ detail }) => detail).join("\n");
    const words = draft.match(/[\w/:.-]{8,}/g) ?? [];
    for (const word of words) expect(details).not.toContain(word);
  }
  expect(fs.existsSync(mark)).toBe(false);
  expect({}).not.toHaveProperty("polluted");
});

test("JSON with a fault is placed by line and column, without a word of it", async () => {
  const syntaxOf = async (draft: string) =>
    (await judged({ target_file: "data.json", draft })).find(({ name }) => name === "syntax");
  for (const [draft, place] of [
    ['{\n  "a": 1,\n  "b": undecided\n}', "line 3, column 8"],
    ['{"a": 1,}', "line 1, column 9"],
    ["[".repeat(50_000), "line 1, column 50001"],
    ["", "line 1, column 1"],
  ] as const)
    expect(await syntaxOf(draft)).toMatchObject({ passed: false, detail: `${place} is not JSON` });
  expect(await syntaxOf('{"a": [1, 2]}')).toMatchObject({ passed: true });
});

test("a draft of more than 100 KB, or not in UTF-8, gets no further check", async () => {
  expect(await failed({ target_file: "a.md", draft: "x".repeat(102_401) })).toEqual(["size"]);
  const checks = await checksOf({ target_file: "a.md", bytes: Uint8Array.of(0xff, 0xfe) }, [], parser);
  expect(checks.map(({ name }) => name)).toEqual(["path", "encoding", "size"]);
});

test.each([
  "../a.ts",
  "/etc/passwd",
  ".env",
  "a/.git/config",
  "a//b.ts",
  "a\\b.ts",
  "",
  "a".repeat(201),
  "a b.ts",
  "a/../b.ts",
])("%j is not a path of the repository", (path) => expect(isPath(path)).toBe(false));

test("likeness is the share of common lines, and a nearly equal draft fails as an old one", async () => {
  expect(likenessTo("a\nb\nc")("b\nc\nd")).toBe(0.5);
  expect(likenessTo("")("")).toBe(0);
  const checks = await judged(fine, [
    { idea_id: 1, text: "other" },
    { idea_id: 2, text: `${fine.draft}\n` },
  ]);
  const of = (name: string) => checks.find((one) => one.name === name);
  expect(of("likeness")).toEqual({ name: "likeness", passed: false, detail: "100 % like idea 2" });
  expect(of("lines")?.detail).toBe("0 added and 1 removed, against the nearest earlier draft");
});

test("an idea goes from proposed to landed, one step after the other", () => {
  const at = "2026-01-31T00:00:00.000Z";
  const digest = "ab".repeat(32);
  const facts = {
    idea_id: 7,
    text_sha256: digest,
    target_file: "a.md",
    draft_sha256: digest,
    draft_bytes: 1,
    proposed_at: at,
  };
  const word = { by: "operator", reason: "good", at } as const;
  const checked: ideas.Checked = { checks_version: 1, checks: [], verdict: "passed", checked_at: at };
  const after = (state: ideas.IdeaState, ...decisions: ((state: ideas.IdeaState) => ideas.IdeaEvent[])[]) =>
    decisions.reduce((now, decide) => decide(now).reduce(ideas.evolve, now), state);
  const proposed = after(undefined, ideas.propose(facts));
  expect(() => ideas.accept(word, 1)(proposed)).toThrow(
    "have it checked by POST /v1/agent/evolution/pipeline/7",
  );
  const passed = after(proposed, ideas.judge(checked));
  expect(ideas.judge(checked)(passed)).toEqual([]);
  expect(ideas.judge({ ...checked, checks_version: 2 })(passed)).toHaveLength(1);
  expect(() => ideas.land({ commit: "abcdef0", at })(passed)).toThrow("accept it first");
  const accepted = after(passed, ideas.accept(word, 1));
  expect(() => ideas.decline(word)(accepted)).toThrow("accepted");
  const landed = after(accepted, ideas.land({ commit: "abcdef0", at }));
  expect(landed).toMatchObject({ status: "landed", commit: "abcdef0" });
  expect(ideas.judge({ ...checked, checks_version: 2 })(landed)).toEqual([]);
});

test("a verdict of an earlier version of the checks is replaced, and never replaces one of a later version", () => {
  const at = "2026-01-31T00:00:00.000Z";
  const digest = "ab".repeat(32);
  const facts = {
    idea_id: 7,
    text_sha256: digest,
    target_file: "a.md",
    draft_sha256: digest,
    draft_bytes: 1,
  };
  const proposed = ideas.evolve(undefined, {
    type: "ImprovementProposed",
    data: { ...facts, proposed_at: at },
  });
  const verdict = (checks_version: number, verdict: "passed" | "failed"): ideas.Checked => ({
    ...{ checks_version, checks: [], verdict, checked_at: at },
  });
  const judgedBy = (state: ideas.IdeaState, checked: ideas.Checked) =>
    ideas.judge(checked)(state).reduce(ideas.evolve, state);
  const word = { by: "operator", reason: "good", at } as const;
  const old = judgedBy(proposed, verdict(1, "passed"));
  expect(() => ideas.accept(word, 2)(old)).toThrow(
    /^the idea has passed version 1 of the checks, and this is version 2: have it checked by POST \/v1\/agent\/evolution\/pipeline\/7/,
  );
  const newer = judgedBy(old, verdict(2, "failed"));
  expect(newer).toMatchObject({ status: "failed", checked: { checks_version: 2 } });
  expect(ideas.judge(verdict(1, "passed"))(newer)).toEqual([]);
  expect(ideas.accept(word, 1)(judgedBy(proposed, verdict(2, "passed")))).toHaveLength(1);
});

test("an idea of version 1 of its event reads as one with a draft", () => {
  const at = "2026-01-31T00:00:00.000Z";
  const digest = "ab".repeat(32);
  const old = { idea_id: 7, text_sha256: digest, target_file: "a.md", draft_sha256: digest, draft_bytes: 1 };
  const payload = { ...old, proposed_at: at };
  const { upcast, 1: first, 2: second } = ideas.events.ImprovementProposed;
  const read = upcast[1](first.parse(payload));
  expect(second.parse(read)).toEqual(payload);
  expect(first.safeParse({ ...payload, draft_sha256: null }).success).toBe(false);
});
