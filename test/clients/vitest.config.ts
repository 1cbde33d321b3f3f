import { defineConfig } from "vitest/config";

/** The stock clients' own run: `npm run test:clients`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: ["../support/postgres-global.ts", "./sandbox.ts"],
  },
});
