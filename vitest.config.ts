import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { LIMIT_MS } from "./test/support/until.ts";
import { LONGEST, type Tier, testFiles, tiers } from "./test/tiers.ts";

const tierOf = tiers();
const files = testFiles();

const setupFiles = ["test/support/cost.ts", "test/support/openings.ts", "test/support/properties.ts"];

const common: TestProjectInlineConfiguration["test"] = {
  // Modules keep no state but by the app or the log they belong to, and loading them for each file takes minutes of the run.
  isolate: false,
  // Only what hangs takes so long, also on a machine that is busy with other things.
  testTimeout: 600_000,
  // The first file that needs the invented data waits until they are made, beside all that runs at that moment.
  hookTimeout: 900_000,
  expect: { poll: { timeout: LIMIT_MS } },
};

const project = (tier: Tier, more: TestProjectInlineConfiguration["test"] = {}) => ({
  test: {
    ...common,
    name: tier,
    provide: { tier },
    include: files.filter((path) => tierOf(path) === tier),
    setupFiles,
    ...more,
  },
});

/** Without times of an earlier run, vitest begins with the largest files, and one that takes minutes may end alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) =>
      LONGEST.some((name) => moduleId.endsWith(`/test/${name}.long.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

/** Services, chains and processes of the tests start compiled, on one Postgres for the whole run. */
const running: TestProjectInlineConfiguration["test"] = {
  globalSetup: ["test/support/postgres-global.ts"],
  setupFiles: [...setupFiles, "test/support/compiled-parts.ts"],
};

/**
 * `imports` reads source files only and is part of `npm run check`; `pure` opens nothing; `stories` run on a real Postgres;
 * `long` has kills, races at size, own clusters, browsers, real data and tamper matrices.
 */
export default defineConfig({
  test: {
    // Many wait for blocks and processes: three workers more than two cores keep these busy meanwhile. Said for all projects
    // at once, so that `--maxWorkers` overrules it.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [project("imports"), project("pure"), project("stories", running), project("long", running)],
  },
});
