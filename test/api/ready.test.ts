/** After a restart a process is ready once it has opened every release, and until then names the missing ones. */
import { rename } from "node:fs/promises";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { manifestPath } from "../../src/datasets/manifest.ts";
import { referencePath } from "../../src/datasets/reference/files.ts";
import { opened, openSandbox, openSandboxLv } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let first: Service & { database_url: string };
beforeAll(async () => {
  first = await startService();
  await openSandbox(first);
  await openSandboxLv(first);
});
afterAll(() => first.stop());

async function readinessOf({ url }: Service) {
  const response = await fetch(`${url}/ready`);
  const { missing } = (await response.json()) as { missing: string[] };
  return { status: response.status, missing };
}

async function overviewOf({ url, issue }: Service) {
  const { headers } = await issue();
  const response = await fetch(`${url}/v1/agent/trade/overview`, { headers });
  return { status: response.status, text: await response.text() };
}

test("/ready reports a Postgres that neither answers nor refuses", async () => {
  const { app } = first;
  const never = () => new Promise<never>(() => undefined);
  const stalled = [vi.spyOn(app.store, "head"), vi.spyOn(app.accepting, "contradiction")];
  onTestFinished(() => {
    for (const one of stalled) one.mockRestore();
  });
  for (const one of stalled) one.mockImplementation(never);
  const response = await fetch(`${first.url}/ready`);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    status: "not ready",
    log: { up: false, checked: false },
    missing: null,
  });
});

test("/ready and the overview name a dataset or table that is not open yet", async () => {
  expect(await readinessOf(first)).toMatchObject({ status: 200, missing: [] });
  const sandbox = first.app.data.vintages.open().find(({ dataset }) => dataset === "sandbox-lv")!;
  const table = first.app.data.reference.open().find(({ dataset }) => dataset === "sandbox-hicp")!;
  const files = [manifestPath(first.data_dir, sandbox.vintage), referencePath(first.data_dir, table.vintage)];
  for (const file of files) await rename(file, `${file}.away`);
  const second = await startService({ beside: first });
  try {
    const others = first.app.data.vintages.open().filter(({ dataset }) => dataset !== sandbox.dataset);
    await opened(
      second,
      others.map(({ vintage }) => vintage),
    );
    expect(await readinessOf(second)).toMatchObject({
      status: 503,
      missing: ["sandbox-lv", "sandbox-hicp"],
    });
    const partial = await overviewOf(second);
    expect(partial.status).toBe(503);
    expect(partial.text).toContain("sandbox-lv cannot be read (yet)");
    for (const file of files) await rename(`${file}.away`, file);
    await opened(second, [sandbox.vintage, table.vintage]);
    expect(await readinessOf(second)).toMatchObject({ status: 200, missing: [] });
    expect((await overviewOf(second)).status).toBe(200);
  } finally {
    await second.stop();
  }
});
