import { defineConfig } from "vitest/config";
import { purity, testFiles } from "./test/pure.ts";
import { LIMIT_MS } from "./test/support/until.ts";

const isPure = purity();
const others = testFiles().filter((path) => path !== "test/imports.test.ts");

/**
 * Three projects. `imports` reads source files only and is part of `npm run check`; `pure` has the test files that reach
 * nothing outside their process, `stories` all others, on a real Postgres. Nobody marks a file: what it imports tells.
 */
export default defineConfig({
  test: {
    // Many wait for blocks and processes: one worker more than two cores keeps these busy meanwhile.
    maxWorkers: Number(process.env.TEST_WORKERS ?? 3),
    // Modules keep no state but by the app or the log they belong to, and loading them for each file takes minutes of the run.
    isolate: false,
    // Only what hangs takes so long, also on a machine that is busy with other things.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: LIMIT_MS } },
    projects: [
      { extends: true, test: { name: "imports", include: ["test/imports.test.ts"] } },
      { extends: true, test: { name: "pure", include: others.filter(isPure) } },
      {
        extends: true,
        test: {
          name: "stories",
          include: others.filter((path) => !isPure(path)),
          globalSetup: ["test/support/postgres-global.ts"],
        },
      },
    ],
  },
});
