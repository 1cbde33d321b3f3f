/** The published layouts of the tables of wages, occupations and prices: values read, left out and refused. */
import { describe, expect, test } from "vitest";
import { brent } from "../../src/datasets/reference/brent.ts";
import { ecbMro } from "../../src/datasets/reference/ecb-mro.ts";
import { textOfTable } from "../../src/datasets/reference/files.ts";
import { hicp } from "../../src/datasets/reference/hicp.ts";
import { iloExposure } from "../../src/datasets/reference/ilo-exposure.ts";
import { iscoNaceEmployment } from "../../src/datasets/reference/isco-nace-employment.ts";
import { labourCosts } from "../../src/datasets/reference/labour-costs.ts";
import { lvWages } from "../../src/datasets/reference/lv-wages.ts";
import { sesEarnings } from "../../src/datasets/reference/ses-earnings.ts";
import type { ReferenceTable } from "../../src/datasets/reference/table.ts";
import { referenceLayoutOf, referenceTables } from "../../src/datasets/reference/tables.ts";

/** Reads a text as the import would: by the layout of its first line. */
function read(text: string): { table: string; rows: object[] } {
  const { table, layout } = referenceLayoutOf(text.split("\n", 1)[0]!)!;
  return { table: table.name, rows: layout.read({ name: "given", text }) };
}
const lines = (...all: string[]) => `${all.join("\n")}\n`;

const lci = "DATAFLOW,LAST UPDATE,freq,unit,lcstruct,nace_r2,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG,CONF_STATUS";
const lciLine = (rest: string) => `ESTAT:LC_LCI_LEV(1.0),28/03/26 11:00:00,A,${rest}`;
const fm =
  "KEY,FREQ,REF_AREA,CURRENCY,PROVIDER_FM,INSTRUMENT_FM,PROVIDER_FM_ID,DATA_TYPE_FM,TIME_PERIOD,OBS_VALUE,OBS_STATUS,TITLE";
const employment = "DATAFLOW,LAST UPDATE,freq,nace_r2,isco08,age,sex,unit,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG";
const ses =
  "DATAFLOW,LAST UPDATE,freq,nace_r2,isco08,worktime,age,sex,indic_se,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG";

describe("read as published", () => {
  test("labour costs have EUR alone, the total and wages, Greece as GR, and no row without a value", () =>
    expect(
      read(
        lines(
          lci,
          lciLine("EUR,D1_D4_MD5,C,EL,2024,17.4,p,"),
          lciLine("EUR,D11,C,EU27_2020,2024,25,,"),
          lciLine("EUR,D12_D4_MD5,C,LV,2024,3,,"),
          lciLine("NAC,D1_D4_MD5,C,SE,2024,450,,"),
          lciLine("EUR,D1_D4_MD5,C,IS,2024,:,c,"),
          lciLine("EUR,D1_D4_MD5,C,NO,2024,,,"),
        ),
      ),
    ).toEqual({
      table: "labour-costs",
      rows: [
        { geo: "GR", nace: "C", year: 2024, part: "total", eur_per_hour: 17.4, flag: "p" },
        { geo: "EU27", nace: "C", year: 2024, part: "wages", eur_per_hour: 25, flag: "" },
      ],
    }));

  test("the ECB's rate has fixed tenders and the joined series, not the deposit rate; equal lines count once", () => {
    const line = (instrument: string, day: string, rate: string) =>
      `FM.B.U2.EUR.4F.KR.${instrument}.LEV,B,U2,EUR,4F,KR,${instrument},LEV,${day},${rate},A,"Rate, level"`;
    const text = lines(
      fm,
      line("MRR_FR", "2025-06-11", "2.15"),
      line("MRR_RT", "2025-06-11", "2.15"),
      line("MRR_RT", "2008-10-08", "4.25"),
      line("DFR", "2025-06-11", "2"),
    );
    expect(read(text)).toEqual({
      table: "ecb-mro",
      rows: [
        { date: "2025-06-11", rate_pct: 2.15 },
        { date: "2008-10-08", rate_pct: 4.25 },
      ],
    });
    expect(() =>
      read(lines(fm, line("MRR_FR", "2025-06-11", "2"), line("MRR_RT", "2025-06-11", "3"))),
    ).toThrow(/2025-06-11 has two rates, 2 and 3/);
    expect(() => read(lines(fm, line("DFR", "2025-06-11", "2")))).toThrow(/no level of the main refinancing/);
  });

  test("prices have the index and the annual rate of a month in one row, on the newer base", () => {
    const head = "DATAFLOW,LAST UPDATE,freq,unit,coicop18,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG,CONF_STATUS";
    const line = (rest: string) => `ESTAT:PRC_HICP_MINR(1.0),02/10/26 23:00:00,M,${rest}`;
    const text = lines(
      head,
      line("I15,TOTAL,LV,2026-01,160.2,,"),
      line("I25,TOTAL,LV,2026-01,101.3,,"),
      line("RCH_A,TOTAL,LV,2026-01,3.1,p,"),
      line("RCH_M,TOTAL,LV,2026-01,0.2,,"),
      line("RCH_A,FOOD,LV,2026-01,5,,"),
    );
    expect(read(text)).toEqual({
      table: "hicp",
      rows: [{ geo: "LV", month: "2026-01", yoy_pct: 3.1, index: 101.3 }],
    });
    const older = text.replace("coicop18", "coicop").replaceAll("TOTAL", "CP00");
    expect(read(older).rows).toEqual(read(text).rows);
  });

  test("earnings are the mean in EUR over all ages and hours, by sex and major group", () => {
    const line = (rest: string) => `ESTAT:EARN_SES_HOURLY(1.0),01/02/26 23:00:00,A,${rest}`;
    const text = lines(
      ses,
      line("B-S_X_O,OC2,TOTAL,TOTAL,F,MEAN_E_EUR,LV,2022,11.5,"),
      line("B-S_X_O,TOTAL,TOTAL,TOTAL,T,MEAN_E_EUR,LV,2022,9.5,b"),
      line("B-S_X_O,TOTAL,TOTAL,TOTAL,T,MED_E_EUR,LV,2022,7.9,"),
      line("B-S_X_O,TOTAL,FT,TOTAL,T,MEAN_E_EUR,LV,2022,9.6,"),
      line("B-S_X_O,OC1-5,TOTAL,TOTAL,T,MEAN_E_EUR,LV,2022,10.1,"),
    );
    const about = { geo: "LV", nace: "B-S_X_O", year: 2022 };
    expect(read(text)).toEqual({
      table: "ses-earnings",
      rows: [
        { ...about, isco: "2", sex: "F", eur_per_hour: 11.5, flag: "" },
        { ...about, isco: "TOTAL", sex: "T", eur_per_hour: 9.5, flag: "b" },
      ],
    });
  });

  test("employment has both sexes of the widest age group, sections and major groups", () => {
    const line = (rest: string) => `ESTAT:LFSA_EISN2(1.0),11/09/26 23:00:00,A,${rest}`;
    const text = lines(
      employment,
      line("C,OC7,Y_GE15,T,THS_PER,EU27_2020,2025,9000.5,"),
      line("C,OC7,Y15-64,T,THS_PER,EU27_2020,2025,8800,"),
      line("C,OC7,Y_GE15,F,THS_PER,EU27_2020,2025,1200,"),
      line("C,NRP,Y_GE15,T,THS_PER,EU27_2020,2025,80,u"),
      line("C,TOTAL,Y_GE15,T,THS_PER,EU27_2020,2025,32000,"),
      line("TOTAL,OC7,Y_GE15,T,THS_PER,EU27_2020,2025,22000,"),
    );
    const about = { geo: "EU27", year: 2025, isco: "7" };
    expect(read(text)).toEqual({
      table: "isco-nace-employment",
      rows: [
        { ...about, nace: "C", persons_thousand: 9000.5 },
        { ...about, nace: "TOTAL", persons_thousand: 22000 },
      ],
    });
    expect(() => read(lines(employment, line("C,OC7,Y25-29,T,THS_PER,LV,2025,1,")))).toThrow(
      /no figures of ages/,
    );
  });
});

const cube = {
  version: "2.0",
  class: "dataset",
  label: "Wages",
  id: ["GRS_NET", "NACE", "ContentsCode", "TIME"],
  size: [2, 3, 1, 2],
  role: { time: ["TIME"], metric: ["ContentsCode"] },
  dimension: {
    GRS_NET: { category: { index: { NET: 0, GRS: 1 } } },
    NACE: { category: { index: ["TOTAL", "C", "C16"], label: { TOTAL: "all" } } },
    ContentsCode: { category: { label: { DSV041c: "EUR" } } },
    TIME: { category: { index: { "2025Q1": 0, "2024Q4": 1 } } },
  },
  value: [1, 2, 3, 4, 5, 6, 1700, 1650, 1500, null, 1400, 1300] as (number | null)[],
};
const json = (value: object) => JSON.stringify(value);

describe("JSON-stat", () => {
  test("has gross wages by section and quarter; finer activities and empty cells are left out", () => {
    const rows = [
      { nace: "TOTAL", period: "2025-Q1", gross_eur_per_month: 1700 },
      { nace: "TOTAL", period: "2024-Q4", gross_eur_per_month: 1650 },
      { nace: "C", period: "2025-Q1", gross_eur_per_month: 1500 },
    ];
    expect(read(json(cube))).toEqual({ table: "lv-wages", rows });
    const sparse = Object.fromEntries(
      cube.value.map((value, at) => [at, value]).filter(([, value]) => value),
    );
    expect(read(json({ ...cube, value: sparse })).rows).toEqual(rows);
  });

  test("has the same rows of employment as SDMX-CSV", () => {
    const of = (codes: string[]) => ({ category: { index: codes } });
    const given = {
      ...{ version: "2.0", class: "dataset", label: "Employed persons by occupation and economic activity" },
      value: { "1": 40, "2": 7 },
      id: ["freq", "nace_r2", "isco08", "age", "sex", "unit", "geo", "time"],
      size: [1, 2, 2, 1, 1, 1, 1, 1],
      dimension: {
        ...{ freq: of(["A"]), nace_r2: of(["C", "F"]), isco08: of(["TOTAL", "OC7"]), age: of(["Y_GE15"]) },
        ...{ sex: of(["T"]), unit: of(["THS_PER"]), geo: of(["LV"]), time: of(["2025"]) },
      },
    };
    expect(() => read(json({ ...given, value: { "1": -40 } }))).toThrow(
      /value "-40" is not a number of at least 0/,
    );
    const months = { ...given.dimension, time: of(["2025M01"]) };
    expect(() => read(json({ ...given, dimension: months }))).toThrow(/time "2025M01" is not a year/);
    expect(read(json(given))).toEqual({
      table: "isco-nace-employment",
      rows: [{ geo: "LV", year: 2025, nace: "C", isco: "7", persons_thousand: 40 }],
    });
  });

  const { NACE, ...others } = cube.dimension;
  test.each([
    [json(cube).slice(0, -20), /not JSON, or was cut off/],
    [json({ ...cube, class: "collection" }), /class is not valid JSON-stat/],
    [json({ ...cube, size: [2, 3, 1, 3] }), /TIME has 2 categories, and its size is 3/],
    [json({ ...cube, size: [2, 3, 1] }), /TIME has 2 categories/],
    [json({ ...cube, value: [1, 2] }), /value spans 2 cells, and the dimensions have 12/],
    [json({ ...cube, value: { "12": 5 } }), /value spans 13 cells/],
    [json({ ...cube, value: { "-1": 5 } }), /value is not valid JSON-stat/],
    [json({ ...cube, dimension: others }), /NACE has 0 categories/],
    [json({ ...cube, role: { time: ["WHEN"] } }), /role\.time names no dimension of time/],
    [json({ ...cube, value: cube.value.with(6, -5) }), /-5 is not a wage/],
    [
      json(cube).replaceAll("GRS", "GROSS"),
      /GROSS_NET has 2 values \(NET, GROSS …\); request one of them from the database/,
    ],
    [json(cube).replaceAll("2025Q1", "2025M01"), /2025M01, TOTAL: 1700 is not a wage of a year or quarter/],
  ])("is refused: %#", (text, message) =>
    expect(() => lvWages.layouts[0]!.read({ name: "given", text })).toThrow(message),
  );
});

test.each([
  [lines(lci, lciLine("EUR,D11,C,LV,2024-Q1,9,,")), /given line 2: TIME_PERIOD "2024-Q1" is not a year/],
  [lines(lci, lciLine("EUR,D11,C,LV,2024,nine,,")), /OBS_VALUE "nine" is not a number/],
  [lines(lci, lciLine("EUR,D11,C,LV,2024,-9,,")), /OBS_VALUE "-9" is not a number of at least 0/],
  [
    lines(ses, "x,y,A,C,TOTAL,TOTAL,TOTAL,T,MEAN_E_EUR,LV,2022,0,"),
    /OBS_VALUE "0" is not EUR an hour above zero/,
  ],
  [
    lines(fm, "FM.B.U2.EUR.4F.KR.MRR_FR.LEV,B,U2,EUR,4F,KR,MRR_FR,LEV,2025-02-30,2,A,t"),
    /"2025-02-30" is not a day/,
  ],
  [lines("Date,Price", "2024-13-01,80"), /Date "2024-13-01" is not a day/],
  [lines("Date,Price", "2024-01-02,0"), /Price "0" is not a number above zero/],
  [lines("ISCO_08,title,score,sd,gradient", "251,x,0.5,0.1,y"), /ISCO_08 "251" is not a unit group/],
  [lines("ISCO_08,title,score,sd,gradient", "2512,x,1.5,0.1,y"), /score "1.5" is not a score from 0 to 1/],
  [lines("countryCode,TOTAL_M,TOTAL_F,OC1_M,OC1_X", "LV,1,2,3,4"), /OC1_X "OC1_X" is not TOTAL or OC1/],
  [lines("countryCode,TOTAL_M,TOTAL_F,OC1_M", "LV,1,-2,3"), /TOTAL_F "-2" is not EUR an hour/],
  [
    lines('"geo","year","coicop18","time","index","ar"', '"EA",2024,"TOTAL",2024-01-15,100,2'),
    /time "2024-01-15"/,
  ],
])("a bad file is refused by line and column: %#", (text, message) =>
  expect(() => read(text)).toThrow(message),
);

test("two figures of one cell refuse the import", () => {
  const rows = read(lines(lci, lciLine("EUR,D11,C,LV,2024,9,,"), lciLine("EUR,D11,C,LV,2024,10,,"))).rows;
  const about = { dataset: "labour-costs", source: "", synthetic: false };
  expect(() => textOfTable(labourCosts, about, rows as never[])).toThrow(/LV C 2024 wages occurs twice/);
});

test("each first line identifies one table, and no trade file", () => {
  const headers = [lci, fm, employment, ses, "Date,Price", "ISCO_08,title,score,sd,gradient", json(cube)];
  for (const header of headers)
    expect(
      referenceTables.flatMap(({ layouts }) => layouts.filter(({ matches }) => matches(header))),
    ).toHaveLength(1);
  const trade = "DATAFLOW,LAST UPDATE,freq,reporter,partner,product,flow,indicators,TIME_PERIOD,OBS_VALUE";
  expect(referenceLayoutOf(trade)).toBeUndefined();
});

test.each([brent, ecbMro, hicp, iloExposure, iscoNaceEmployment, labourCosts, lvWages, sesEarnings])(
  "invented rows of $name are the same each time, and fit its schema",
  (invented) => {
    const table = invented as ReferenceTable<object>;
    const about = { dataset: "x", source: "", synthetic: true };
    const first = textOfTable(table, about, table.sandbox());
    expect(textOfTable(table, about, table.sandbox()).text).toBe(first.text);
    expect(first.reference.rows.length).toBeGreaterThan(100);
    expect(first.reference.as_of).toMatch(/^202\d/);
  },
);
