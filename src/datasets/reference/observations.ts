/** Statistics as agencies publish them, one observation per line: SDMX-CSV of Eurostat and the ECB. */
import { z } from "zod";
import { isNoValue } from "../no-value.ts";
import { headerCells, readCsv } from "./csv.ts";
import { anyNumber, Faults, type NumberCondition } from "./faults.ts";
import type { TextFile } from "./table.ts";

/** One figure: its dimensions' codes, its time as published, and the agency's flag ("" for none). */
export type Observation<Dimension extends string> = {
  line: number;
  codes: Record<Dimension, string>;
  time: string;
  value: number;
  flag: string;
};

/** Time formats, each with its test and name. */
const times = {
  year: { is: (text: string) => /^\d{4}$/.test(text), wanted: "a year such as 2024" },
  month: { is: (text: string) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text), wanted: "a month such as 2024-01" },
  day: { is: (text: string) => z.iso.date().safeParse(text).success, wanted: "a day such as 2024-01-31" },
};

/** True for the first line of SDMX-CSV with these dimensions, and without those of `but`. */
export function isSdmx(header: string, dimensions: readonly string[], but: readonly string[] = []): boolean {
  const cells = headerCells(header);
  return (
    [...dimensions, "TIME_PERIOD", "OBS_VALUE"].every((column) => cells.includes(column)) &&
    !but.some((column) => cells.includes(column))
  );
}

/** The observations with a value, which must be valid. */
export function readSdmx<Dimension extends string>(
  file: TextFile,
  dimensions: readonly Dimension[],
  time: keyof typeof times,
  wanted: NumberCondition = anyNumber,
): Observation<Dimension>[] {
  const header = headerCells(file.text.split("\n", 1)[0]!);
  const flagged = ["OBS_FLAG", "OBS_STATUS"].filter((column) => header.includes(column));
  const columns = [...dimensions, "TIME_PERIOD", "OBS_VALUE", ...flagged] as string[];
  const faults = new Faults(file);
  const found: Observation<Dimension>[] = [];
  for (const { line, cells } of readCsv(file, columns, { extra_columns: true })) {
    const { TIME_PERIOD = "", OBS_VALUE = "", OBS_FLAG = "", OBS_STATUS = OBS_FLAG, ...codes } = cells;
    if (!times[time].is(TIME_PERIOD)) faults.add(line, "TIME_PERIOD", TIME_PERIOD, times[time].wanted);
    if (isNoValue(OBS_VALUE)) continue;
    const value = faults.number(line, "OBS_VALUE", OBS_VALUE, wanted);
    found.push({
      line,
      codes: codes as Record<Dimension, string>,
      time: TIME_PERIOD,
      value,
      flag: OBS_STATUS,
    });
  }
  faults.refuseAny();
  return found;
}

/** The latest of times in one format; null without any. */
export const latest = (times: readonly string[]): string | null =>
  times.reduce((last: string | null, time) => (last === null || time > last ? time : last), null);
