import { defineConfig } from "vitest/config";

/** Two projects: `imports` reads source files only and is part of `npm run check`; `stories` runs everything else on a real Postgres. */
export default defineConfig({
  test: {
    // Many wait for blocks and processes: one worker more than two cores keeps these busy meanwhile.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
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
