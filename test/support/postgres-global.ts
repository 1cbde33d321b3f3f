import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { embeddedPostgres } from "../../src/adapters/embedded-postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    postgresUrl: string;
    /** A folder of the run. */
    runDir: string;
  }
}

/** One real Postgres for the whole run: TEST_DATABASE_URL if given, else an embedded one without fsync (crash tests bring their own). */
export default async function setup(project: TestProject) {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-test-"));
  await chmod(dir, 0o755);
  project.provide("runDir", dir);
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? undefined : await ownPostgres(join(dir, "postgres"));
  project.provide("postgresUrl", given ?? server!.ownerUrl);
  return async () => {
    await server?.leave();
    await rm(dir, { recursive: true, force: true });
  };
}

const ownPostgres = (dir: string) =>
  embeddedPostgres({
    dir,
    settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" },
  });
