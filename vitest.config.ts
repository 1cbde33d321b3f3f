import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { keptImports, purity, testFiles } from "./test/pure.ts";
import { LIMIT_MS } from "./test/support/until.ts";

const kept = keptImports();
const isPure = purity(undefined, kept);
const others = testFiles().filter((path) => path !== "test/imports.test.ts");
const pure = others.filter(isPure);
kept.save();

const common: TestProjectInlineConfiguration["test"] = {
  // Modules keep no state but by the app or the log they belong to, and loading them for each file takes minutes of the run.
  isolate: false,
  setupFiles: ["test/support/cost.ts"],
  // Only what hangs takes so long, also on a machine that is busy with other things.
  testTimeout: 600_000,
  // The first file that needs the invented data waits until they are made, beside all that runs at that moment.
  hookTimeout: 900_000,
  expect: { poll: { timeout: LIMIT_MS } },
  // CI's machine may stand still for seconds: there what says that its time was over is tried again, and named at the end of the run. Whatever else
  // fails stays so: a race that is lost now and then is what its test looks for.
  retry: { count: process.env.CI ? 1 : 0, condition: /timed out|timeout|has not come true/i },
};

/**
 * Three projects. `imports` reads source files only and is part of `npm run check`; `pure` has the test files that reach
 * nothing outside their process, `stories` all others, on a real Postgres. Nobody marks a file: what it imports tells.
 */
export default defineConfig({
  test: {
    // Many wait for blocks and processes: two workers more than two cores keep these busy meanwhile. Said for all projects
    // at once, so that `--maxWorkers` overrules it.
    maxWorkers: 4,
    projects: [
      { test: { ...common, name: "imports", include: ["test/imports.test.ts"] } },
      { test: { ...common, name: "pure", include: pure } },
      {
        test: {
          ...common,
          name: "stories",
          include: others.filter((path) => !pure.includes(path)),
          globalSetup: ["test/support/postgres-global.ts"],
          setupFiles: ["test/support/cost.ts", "test/support/compiled-parts.ts"],
        },
      },
    ],
  },
});
