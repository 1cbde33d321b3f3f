import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { clusterFolder } from "../src/adapters/cluster-location.ts";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { until } from "./support/until.ts";

test("a first start killed during initdb does not hinder the next one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-cut-"));
  // Postgres may run as another account, which needs access.
  await chmod(folder, 0o755);
  const dir = await clusterFolder(folder);
  const child = spawn(process.execPath, [resolve("bin/tallystick"), "keys", "issue", "--tenant", "acme"], {
    env: { ...process.env, DATA_DIR: folder, DATABASE_URL: "" },
    detached: true,
    stdio: "ignore",
  });
  const begun = () => readdirSync(folder).some((name) => existsSync(join(folder, name, "PG_VERSION")));
  await until(() => begun());
  process.kill(-child.pid!, "SIGKILL");
  const server = await embeddedPostgres({ dir });
  expect(server.ownerUrl).toContain("tallystick_owner");
  await server.leave();
  await rm(folder, { recursive: true });
});
