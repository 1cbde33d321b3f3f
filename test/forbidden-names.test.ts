/**
 * Names that source files must not use: the machine's own clock, which may jump; in handlers, members of `app` that
 * their context has for the call.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** Files that mean the machine's time, and why. */
const MEANT: Record<string, string> = {
  "eventstore/preflight.ts": "compares it with the database's",
  "eventstore/uuid.ts": "orders identifiers roughly",
  "src/adapters/embedded-chain.ts": "blocks of the development chain have it, and so have files",
  "src/adapters/folder-lock.ts": "files have it",
  "src/adapters/local-files.ts": "files have it",
  "src/api/describe/documents.ts": "security.txt is good for half a year",
  "src/api/serve/x402/charge.ts": "a Retry-After of hours",
  "src/datasets/build-space.ts": "files have it",
  "src/datasets/download.ts": "a server's Retry-After names a time",
  "src/runtime/checkup.ts": "judges it",
  "src/worker/worker.ts": "a lease names a time, and a worker has no database",
};

/** Files that are run by hand, or in a browser. */
const ELSEWHERE = /^src\/(cli|explorer|operator)\//;

const sources = ["src", "eventstore"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`),
);

test("only these files read the machine's clock", () => {
  const reading = sources.filter(
    (name) => !ELSEWHERE.test(name) && readFileSync(join(ROOT, name), "utf8").includes("Date.now()"),
  );
  expect(reading.sort()).toEqual(Object.keys(MEANT).sort());
});

/**
 * The call's own: an answer that reads `app.data` would be cached too long, and one that opens by `app.subjects`
 * would outlive an erasure.
 */
const OF_THE_CALL = /\bapp\.(data|subjects)\b|\bapp: \{[^}]*\b(data|subjects)\b/;

test("handlers read their call's data, and open personal data by it", () => {
  // A skill's run has no call while the worker runs it.
  const handlers = sources.filter(
    (name) => /^src\/api\/(operations|agents)\//.test(name) && !name.endsWith("skills/run-skill.ts"),
  );
  expect(handlers.filter((name) => OF_THE_CALL.test(readFileSync(join(ROOT, name), "utf8")))).toEqual([]);
});
