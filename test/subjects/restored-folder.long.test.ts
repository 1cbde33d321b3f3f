/**
 * The whole DATA_DIR is restored from before an erasure: log, vault and secrets at once, so that nothing in it has
 * the erasure.
 */
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mailSubject } from "../../src/core/model/sealed.ts";
import { eraseSubject } from "../../src/reactors/subjects/erasure.ts";
import { openRuntime, type Runtime } from "../../src/runtime/assemble.ts";
import { silent } from "../support/doomed.ts";
import { patientConfig } from "../support/patience.ts";
import { until } from "../support/until.ts";
import { placeOf } from "./letters.ts";

const anna = mailSubject("acme", "anna@example.org");
const place = placeOf("acme", "0".repeat(32));
const erasing = { by: "operator", meta: { actor: "test", operation: "test" } } as const;

test("a restored folder has a subject that was erased since, and the same request erases it again", async () => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-restored-folder-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await chmod(dir, 0o755);
  const [folder, backup] = [join(dir, "data"), join(dir, "backup")];
  const config = patientConfig({ DATA_DIR: folder, ANCHORING: "0" });
  async function running<T>(act: (app: Runtime["app"]) => Promise<T>): Promise<T> {
    const { app, close } = await openRuntime(config, silent, { chain: false });
    try {
      return await act(app);
    } finally {
      await close();
    }
  }
  const erase = async (app: Runtime["app"]) => {
    expect(await eraseSubject(app, anna, erasing)).toBeDefined();
    await until(async () => (await app.subjects.find(anna)) === undefined);
  };

  const sealed = await running(async ({ subjects }) => {
    const [one] = await subjects.seal([{ subject: anna, place, value: { name: "Anna" } }]);
    return one!;
  });
  const opened = (app: Runtime["app"]) => app.subjects.open([{ sealed, place }]);
  // With its owners: Postgres refuses a folder of another user.
  execFileSync("cp", ["-a", folder, backup]);
  await running(async (app) => {
    await erase(app);
    expect(await opened(app)).toMatchObject([{ erased: true }]);
  });

  await rm(folder, { recursive: true });
  await rename(backup, folder);
  await running(async (app) => {
    expect(await opened(app)).toMatchObject([{ erased: false, value: { name: "Anna" } }]);
    await erase(app);
    expect(await opened(app)).toMatchObject([{ erased: true }]);
  });
});
