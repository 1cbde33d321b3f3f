import { defineConfig } from "vitest/config";

/** The stock clients' own run: `npm run test:clients`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    maxWorkers: 2,
    // Two files, the service, its node and Postgres share the cores.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    globalSetup: ["../support/postgres-global.ts", "./sandbox.ts"],
  },
});
