import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fileDigest, releaseFacts, vintageDigest } from "../../src/datasets/manifest.ts";
import {
  bulkFixture,
  fileOf,
  importFiles,
  packed7z,
  refusalOf,
  sdmxFixture,
  storeOf,
  tableOf,
  tempDir,
} from "./workshop.ts";

const subset = { reporters: ["DE", "FR"] as const };

const cell = (facts: object) => expect.objectContaining(facts);

describe("Comext bulk CSV", () => {
  test("sums statistical procedures, keeps unknown masses unknown, and leaves out TOTAL and former members", async () => {
    const dir = await tempDir();
    const built = await importFiles(dir, [bulkFixture], { reporters: [...subset.reporters] });
    expect(built.report).toMatchObject({
      rows_read: 9,
      equal_duplicates: 1,
      left_out: { total_product: 1, other_reporter: 1 },
    });
    const store = await storeOf(dir, built.manifest.vintage);
    const cells = await tableOf(store, "comext-bulk", "cells");
    const amounts = cells.map((row) => [
      row.reporter,
      row.flow,
      row.partner,
      row.product,
      row.value_eur,
      row.quantity_kg,
    ]);
    expect(amounts).toEqual([
      ["DE", "EXPORT", "AD", "39161000", 1500, 150.25],
      ["DE", "IMPORT", "FR", "39161000", 7000, null],
      ["DE", "IMPORT", "FR", "39XXXXXX", 3000, 10],
      ["DE", "IMPORT", "XI", "44071110", 44, 400],
      ["FR", "EXPORT", "DE", "39161000", 6900, 690],
    ]);
    const chapters = await tableOf(store, "comext-bulk", "chapter_totals");
    expect(chapters).toContainEqual(
      cell({ reporter: "DE", hs2: "39", flow: "IMPORT", period: 202402, value_eur: 10000 }),
    );
    expect(built.manifest.coverage.products).toMatchObject({ national: true, complete_below: [""] });
  });

  test("gives the same vintage from the packed archive", async () => {
    const dir = await tempDir();
    const archive = await packed7z(dir, bulkFixture);
    const options = { reporters: [...subset.reporters] };
    const plain = await importFiles(await tempDir(), [bulkFixture], options);
    const packed = await importFiles(dir, [archive], options);
    expect(packed.manifest.vintage).toBe(plain.manifest.vintage);
    expect(packed.manifest.inputs).toEqual([
      {
        name: "full_v2_202402.7z",
        sha256: await fileDigest(archive),
        bytes: (await readFile(archive)).length,
        rows: 9,
      },
    ]);
  });

  test("replaces the whole month by a later file, whatever products it names", async () => {
    const dir = await tempDir();
    const lines = (await readFile(bulkFixture, "utf8")).trimEnd().split("\n");
    const reporters = ["DE" as const];
    const german = lines.filter((line) => !line.startsWith("FR"));
    const before = await importFiles(dir, [await fileOf(dir, "first.csv", german)], { reporters });
    const revised = [lines[0]!, lines[3]!.replace("7000,7000", "7777,7777")];
    const after = await importFiles(dir, [await fileOf(dir, "revised.csv", revised)], {
      reporters,
      replaces: before.manifest.vintage,
    });
    const cells = await tableOf(await storeOf(dir, after.manifest.vintage), "comext-bulk", "cells");
    expect(cells.map((row) => [row.flow, row.value_eur])).toEqual([
      ["EXPORT", 1500],
      ["IMPORT", 7777],
    ]);
  });
});

test("the content digest is the documented one, computed here from the rows alone", async () => {
  const dir = await tempDir();
  const { manifest } = await importFiles(dir, [bulkFixture], { reporters: [...subset.reporters] });
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const cells = [
    [
      "DE,39,EXPORT,202402,AD,39161000,1500,150.250,,,",
      "DE,39,IMPORT,202402,FR,39161000,7000,,,,1",
      "DE,39,IMPORT,202402,FR,39XXXXXX,3000,10.000,,,1",
    ],
    ["DE,44,IMPORT,202402,XI,44071110,44,400.000,,,1"],
    ["FR,39,EXPORT,202402,DE,39161000,6900,690.000,,,1"],
  ];
  const chapters = [
    ["DE,39,EXPORT,202402,AD,1500,150.250", "DE,39,IMPORT,202402,FR,10000,10.000"],
    ["DE,44,IMPORT,202402,XI,44,400.000"],
    ["FR,39,EXPORT,202402,DE,6900,690.000"],
  ];
  const table = (groups: string[][]) => sha256(groups.map((rows) => sha256(rows.join("\n"))).join(""));
  const spoken = ["DE,EXPORT,202402,", "DE,IMPORT,202402,", "FR,EXPORT,202402,"];
  // Of the cell with two procedures, the one that is not normal stands beside it.
  const procedures = [["DE,39,EXPORT,202402,AD,39161000,2,500,50.250,,"]];
  const months = ["DE,EXPORT,202402", "DE,IMPORT,202402", "FR,EXPORT,202402"];
  const content = sha256(
    [
      ...[table(cells), "", table(chapters), sha256(spoken.join("\n"))],
      `procedures:${table(procedures)}`,
      `procedure_months:${sha256(months.join("\n"))}`,
    ].join(","),
  );
  expect(manifest.partitions[0]!.content_sha256).toBe(content);
  const identity = ["TS/VINTAGE/1", manifest.dataset, manifest.source, false, [[2024, content]]];
  expect(manifest.vintage).toBe(sha256(JSON.stringify(identity)));
});

describe("SDMX-CSV DS-045409", () => {
  const options = { reporters: ["DE" as const] };

  test("joins values with masses times 100 and keeps aggregates apart", async () => {
    const dir = await tempDir();
    const built = await importFiles(dir, [sdmxFixture], options);
    const store = await storeOf(dir, built.manifest.vintage);
    const cells = await tableOf(store, "comext-ds-045409", "cells");
    expect(cells.map((row) => [row.period, row.partner, row.value_eur, row.quantity_kg])).toEqual([
      [202402, "FR", 800, null],
      [202401, "CN", 2000, null],
      [202401, "FR", 5000, 1234],
    ]);
    const aggregates = await tableOf(store, "comext-ds-045409", "aggregates");
    expect(aggregates.map((row) => [row.partner, row.value_eur])).toEqual([
      ["WORLD", 900],
      ["EU27_2020", 6000],
      ["WORLD", 9000],
    ]);
    const totals = await tableOf(store, "comext-ds-045409", "totals");
    expect(totals.map((row) => [row.period, row.value_eur, row.quantity_kg])).toEqual([
      [202402, 900, null],
      [202401, 9000, 2000],
    ]);
  });

  test("gives the same vintage with gzip and with Windows line endings", async () => {
    const dir = await tempDir();
    const text = await readFile(sdmxFixture, "utf8");
    const gz = join(dir, "a.csv.gz");
    const crlf = join(dir, "b.csv");
    await writeFile(gz, gzipSync(text));
    await writeFile(crlf, text.replaceAll("\n", "\r\n"));
    const vintages = [];
    for (const file of [sdmxFixture, gz, crlf]) {
      vintages.push((await importFiles(await tempDir(), [file], options)).manifest.vintage);
    }
    expect(new Set(vintages).size).toBe(1);
  });

  test("replaces only what it covers; a file of WORLD rows leaves partners unchanged", async () => {
    const dir = await tempDir();
    const first = await importFiles(dir, [sdmxFixture], options);
    const lines = (await readFile(sdmxFixture, "utf8")).trimEnd().split("\n");
    const world = [lines[0]!, lines[6]!.replace("9000.0", "9500.0"), lines[5]!];
    const second = await importFiles(dir, [await fileOf(dir, "world.csv", world)], {
      ...options,
      replaces: first.manifest.vintage,
    });
    const store = await storeOf(dir, second.manifest.vintage);
    const aggregates = await tableOf(store, "comext-ds-045409", "aggregates");
    expect(aggregates.map((row) => [row.period, row.partner, row.value_eur])).toEqual([
      [202402, "WORLD", 900],
      [202401, "WORLD", 9500],
    ]);
    expect(await tableOf(store, "comext-ds-045409", "cells")).toHaveLength(3);
  });

  test("covers all its lines, including those that an earlier file of the command has", async () => {
    const dir = await tempDir();
    const [header] = (await readFile(sdmxFixture, "utf8")).split("\n");
    const line = (product: string, month: string, value: number) =>
      `ESTAT:DS-045409(1.0),01/01/26 11:00:00,M,DE,FR,${product},1,VALUE_IN_EUROS,${month},${value}`;
    const file = (name: string, lines: string[]) => fileOf(dir, name, [header!, ...lines]);
    const old = await file("old.csv", [
      line("39201023", "2024-01", 1),
      line("39206290", "2024-01", 2),
      line("39206290", "2024-02", 3),
    ]);
    const part = await file("part.csv", [line("39206290", "2024-01", 5)]);
    const whole = await file("whole.csv", [line("39206290", "2024-01", 5), line("39201023", "2024-02", 6)]);
    const first = await importFiles(dir, [old], options);
    const upon = { ...options, replaces: first.manifest.vintage };
    const once = await importFiles(dir, [whole], upon);
    const twice = await importFiles(dir, [part, whole], upon);
    expect(twice.manifest.vintage).toBe(once.manifest.vintage);
    const cells = await tableOf(await storeOf(dir, twice.manifest.vintage), "comext-ds-045409", "cells");
    expect(cells.map(({ value_eur }) => value_eur)).toEqual([5, 6]);
  });

  test("a reporter whose first WORLD row comes with few others has no complete month yet", async () => {
    const dir = await tempDir();
    const lines = (await readFile(sdmxFixture, "utf8")).split("\n");
    const row = lines[2]!.replace("5000.0", "5000");
    const partners = ["FR", "IT", "ES", "PL", "NL"].map((code) => row.replace(",FR,", `,${code},`));
    const world = row.replace(",FR,", ",WORLD,").replace("2024-01", "2024-02");
    const file = await fileOf(dir, "thin.csv", [lines[0]!, ...partners, world]);
    const { manifest } = await importFiles(dir, [file], options);
    expect(manifest.coverage.reporters).toEqual([
      { reporter: "DE", from: 202401, to: 202312, provisional: [202401, 202402], missing: [] },
    ]);
  });

  test("importing the same file again gives the same vintage, without a new file", async () => {
    const dir = await tempDir();
    const first = await importFiles(dir, [sdmxFixture], options);
    const again = await importFiles(dir, [sdmxFixture], { ...options, replaces: first.manifest.vintage });
    expect(again.manifest.vintage).toBe(first.manifest.vintage);
    expect(again.new_files).toEqual([]);
  });

  test("unchanged years are shared, and the digest is rebuilt from the release", async () => {
    const dir = await tempDir();
    const first = await importFiles(dir, [sdmxFixture], options);
    const text = (await readFile(sdmxFixture, "utf8")).replaceAll("2024-", "2025-").trimEnd();
    const later = await fileOf(dir, "later.csv", text.split("\n"));
    const second = await importFiles(dir, [later], { ...options, replaces: first.manifest.vintage });
    expect(second.manifest.partitions.map(({ year }) => year)).toEqual([2024, 2025]);
    expect(second.manifest.partitions[0]).toEqual(first.manifest.partitions[0]);
    const facts = releaseFacts(second.manifest, second.replaces, new Date(0));
    expect(vintageDigest(facts)).toBe(facts.vintage);
    expect(facts).toMatchObject({ rows: 12, control_totals: { import_eur: 18000, export_eur: 1800 } });
  });
});

describe("a cell of several lines", () => {
  const [header, line] = [
    "REPORTER,PARTNER,TRADE_TYPE,PRODUCT_NC,PRODUCT_SITC,PRODUCT_CPA21,PRODUCT_CPA22,PRODUCT_BEC,PRODUCT_BEC5,PRODUCT_SECTION,FLOW,STAT_PROCEDURE,SUPPL_UNIT,PERIOD,VALUE_EUR,VALUE_NAC,QUANTITY_KG,QUANTITY_SUPPL_UNIT",
    (procedure: number, eur: number, kg: string) =>
      `DE,US,E,39161000,58310,2221,2221,220,211210,07,2,${procedure},NO_SU,202402,${eur},0,${kg},0`,
  ];
  const lines = [line(1, 100, "1.5"), line(2, 20, "0"), line(3, 3, "0.25")];

  test("sums distinct lines once, wherever their duplicates are", async () => {
    const dir = await tempDir();
    const first = await fileOf(dir, "a.csv", [header, ...lines]);
    const second = await fileOf(dir, "b.csv", [header, lines[1]!, lines[2]!, lines[2]!]);
    const { manifest, report } = await importFiles(dir, [first, second], { reporters: ["DE"] });
    expect(report).toMatchObject({ rows_read: 6, equal_duplicates: 3 });
    const store = await storeOf(dir, manifest.vintage);
    expect(await tableOf(store, "comext-bulk", "cells")).toMatchObject([
      { value_eur: 123, quantity_kg: 1.75 },
    ]);
  });

  test("refuses a line that contradicts one of another file, naming both locations", async () => {
    const dir = await tempDir();
    const first = await fileOf(dir, "a.csv", [header, ...lines]);
    const second = await fileOf(dir, "b.csv", [header, line(4, 1, "0"), line(3, 4, "0.25")]);
    const refusal = await refusalOf(importFiles(dir, [first, second], { reporters: ["DE"] }));
    expect(refusal.message).toContain(
      "b.csv line 3: DE US 39161000 EXPORT 202402 is already in a.csv line 4, with a different amount",
    );
  });
});
