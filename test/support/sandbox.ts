import { inventedText, releaseSandboxTables } from "../../src/operator/reference.ts";
import { indicatorDatasets } from "../../src/projections/signals/series.ts";
import { unevaluated } from "../../src/projections/signals/trades.ts";
import { makeSandbox, makeSandboxLv } from "../datasets/workshop.ts";
import { releaseVintage } from "./cube.ts";
import { madeOnce } from "./made-once.ts";
import type { Service } from "./service.ts";
import { until } from "./until.ts";

/** Smaller scales give the same sandbox. */
export const SMALL = 0.01;

/** A scale with more chapters. */
export const LARGER = 0.1;

/** The sandbox that a first start makes. */
export const FRESH = "fresh";

type Scale = number | typeof FRESH;

/** A small sandbox in the folder; returns its vintage. */
export const sandboxIn = (dataDir: string, scale: Scale = SMALL): Promise<string> =>
  madeOnce(`sandbox-${scale}`, dataDir, async (dir) => (await makeSandbox(dir, scale)).manifest.vintage);

/** The same, and Latvia at CN8 split from it. */
export const latviaIn = (
  dataDir: string,
  scale: Scale = SMALL,
): Promise<{ sandbox: string; latvia: string }> =>
  madeOnce(`sandbox-lv-${scale}`, dataDir, async (dir) => {
    const sandbox = await sandboxIn(dir, scale);
    return { sandbox, latvia: (await makeSandboxLv(dir, sandbox)).manifest.vintage };
  });

const texts = new Map<object, ReturnType<typeof inventedText>>();

/** The texts of all tables take half a second. */
function textOfOnce(table: Parameters<typeof inventedText>[0]): ReturnType<typeof inventedText> {
  const made = texts.get(table) ?? inventedText(table);
  texts.set(table, made);
  return made;
}

/** A small sandbox dataset and the reference tables, released; resolves when the service has opened them. */
export async function openSandbox(service: Service, scale: Scale = SMALL): Promise<void> {
  const { app, data_dir } = service;
  const vintage = await sandboxIn(data_dir, scale);
  await releaseVintage(app, data_dir, vintage);
  const tables = await releaseSandboxTables(app, data_dir, { textOf: textOfOnce });
  await opened(service, [vintage, ...tables.map(({ facts }) => facts.vintage)]);
}

/** Latvia at CN8, from the sandbox opened before. */
export async function openSandboxLv(service: Service, scale: Scale = SMALL): Promise<void> {
  const { latvia } = await latviaIn(service.data_dir, scale);
  await releaseVintage(service.app, service.data_dir, latvia);
  await opened(service, [latvia]);
}

/** Waits until the service has opened these vintages. */
export async function opened({ app }: Service, wanted: string[]): Promise<void> {
  const open = () =>
    [...app.data.vintages.open(), ...app.data.reference.open()].map(({ vintage }) => vintage);
  await until(() => wanted.every((vintage) => open().includes(vintage)));
}

/** Waits until a service's reactors have bet on every release: until then its log grows by itself. */
export const allBetOn = ({ app }: Service): Promise<unknown> =>
  until(async () => (await unevaluated(app.pool, indicatorDatasets)).length === 0);
