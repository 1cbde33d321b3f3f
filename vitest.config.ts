import { defineConfig } from "vitest/config";

/** Two projects: `imports` reads source files only and is part of `npm run check`; `stories` runs everything else on a real Postgres. */
export default defineConfig({
  test: {
    // Many wait for blocks and processes: one worker more than two cores keeps these busy meanwhile.
    maxWorkers: 3,
    // Modules keep no state but by the app or the log they belong to, and loading them for each file takes minutes of the run.
    isolate: false,
    // Only what hangs takes so long, also on a machine that is busy with other things.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: "imports", include: ["test/imports.test.ts"] } },
      {
        extends: true,
        test: {
          name: "stories",
          include: ["test/**/*.test.ts"],
          exclude: ["test/imports.test.ts", "test/clients/**"],
          globalSetup: ["test/support/postgres-global.ts"],
        },
      },
    ],
  },
});
