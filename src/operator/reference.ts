/** Imports or synthesizes reference tables, stores them, and releases them in the log. */
import { type App, operatorMeta } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import { importable, tradeLayoutOf } from "../datasets/layouts/detect.ts";
import { isStored, storeText, sweepReferences, textOfTable } from "../datasets/reference/files.ts";
import { readTextFile } from "../datasets/reference/read.ts";
import { type Reference, type ReferenceTable, sandboxOf } from "../datasets/reference/table.ts";
import { referenceLayoutOf, referenceTables } from "../datasets/reference/tables.ts";
import { retainedSince } from "../datasets/retention.ts";
import * as reference from "../domain/reference/dataset.ts";
import { referenceProjection, referencesSince } from "../projections/reference/releases.ts";
import { OPERATOR } from "./releases.ts";

export type ReferenceRelease = { facts: reference.ReferenceFacts; unchanged: boolean };

/**
 * Imports files as a table's next vintage; they are the whole table. Any fault refuses everything, as does a table
 * other than `only`, or one that lost too many rows, unless `afresh` is set.
 */
export async function importReference(
  app: App,
  dataDir: string,
  paths: string[],
  { only, afresh = false }: { only?: ReferenceTable<object>; afresh?: boolean } = {},
): Promise<ReferenceRelease> {
  const inputs: reference.ReferenceFacts["inputs"] = [];
  const rows: object[] = [];
  let first: { name: string; table: ReferenceTable<object> } | undefined;
  for (const path of paths) {
    const { text, name, sha256, bytes, header } = await readTextFile(path);
    const found = referenceLayoutOf(header);
    if (only && found?.table.name !== only.name)
      refuse("invalid", `${name} line 1: is not ${only.layouts.map((one) => one.name).join("; ")}`);
    if (!found) return refuse("invalid", `${name} line 1: ${unlikeTable(header)}`);
    first ??= { name, table: found.table };
    if (found.table !== first.table) {
      const message = `${name} is ${found.table.name}, but ${first.name} is ${first.table.name}`;
      refuse("invalid", `${message}: one import reads one table`);
    }
    const read = found.layout.read({ name, text });
    inputs.push({ name, sha256, bytes, rows: read.length });
    rows.push(...read);
  }
  if (!first) return refuse("invalid", "name at least one file to import");
  const { table } = first;
  const written = textOfTable(table, { dataset: table.name, source: table.source, synthetic: false }, rows);
  if (!afresh) await refuseShrunk(app, table, rows.length);
  const released = await release(app, dataDir, written, inputs, "import");
  await sweep(app, dataDir).catch(() => undefined);
  return released;
}

async function refuseShrunk(app: App, table: ReferenceTable<object>, rows: number): Promise<void> {
  const { least_share = 0 } = table;
  const current = await app.load(reference, { tenant: OPERATOR, id: table.name });
  if (!current || rows >= current.rows * least_share) return;
  refuse(
    "invalid",
    `${table.name}: ${rows} rows, where the last release has ${current.rows}: the files were cut short; fetch them again, or import --afresh`,
  );
}

/** Names what a file is instead of a reference table. */
function unlikeTable(header: string): string {
  const trade = tradeLayoutOf(header);
  return trade
    ? `is trade data (${trade.name}); import it by itself`
    : `is not a table of reference data. There are ${importable()}`;
}

const INVENTED = "Tallystick sandbox, invented figures";

/** Creates and releases synthetic stand-ins of all tables, or only of missing ones. */
export async function releaseSandboxTables(
  app: App,
  dataDir: string,
  {
    only_missing = false,
    textOf = inventedText,
  }: { only_missing?: boolean; textOf?: typeof inventedText } = {},
): Promise<ReferenceRelease[]> {
  const released: ReferenceRelease[] = [];
  for (const table of referenceTables) {
    const current = await app.load(reference, { tenant: OPERATOR, id: sandboxOf(table) });
    if (only_missing && current && (await isStored(dataDir, current.vintage))) continue;
    released.push(await release(app, dataDir, textOf(table), [], "sandbox"));
  }
  return released;
}

/** The invented rows of a table as the text to store, the same each time. */
export const inventedText = (table: (typeof referenceTables)[number]): ReturnType<typeof textOfTable> =>
  textOfTable(table, { dataset: sandboxOf(table), source: INVENTED, synthetic: true }, table.sandbox());

/** The file comes before the event, so that every released table can be opened. */
async function release(
  app: App,
  dataDir: string,
  { reference: made, text }: { reference: Reference<object>; text: string },
  inputs: reference.ReferenceFacts["inputs"],
  operation: string,
): Promise<ReferenceRelease> {
  const { rows, ...about } = made;
  const target = { tenant: OPERATOR, id: about.dataset };
  const current = await app.load(reference, target);
  if (current?.vintage === made.vintage && (await isStored(dataDir, made.vintage)))
    return { facts: current, unchanged: true };
  await storeText(dataDir, made.vintage, text);
  const facts = {
    ...about,
    rows: rows.length,
    inputs,
    replaces: current?.vintage ?? null,
    released_at: app.clock.now().toISOString(),
  };
  const meta = operatorMeta(operation);
  const { result } = await app.decide(reference, target, reference.release(facts), { meta });
  return { facts, unchanged: result.events.length === 0 };
}

/** Deletes vintages that were replaced long ago. */
async function sweep(app: App, dataDir: string): Promise<void> {
  if (!(await app.caughtUp(referenceProjection))) return;
  const now = app.clock.now();
  const kept = await referencesSince(app.pool, retainedSince(now));
  await sweepReferences(dataDir, new Set(kept.map(({ vintage }) => vintage)), now);
}
