/** JSON-stat 2.0, from PxWeb databases and Eurostat: a cube of values in row-major order. */
import { z } from "zod";
import { refuse, refuseWith } from "../../core/model/refusal.ts";
import type { Observation } from "./observations.ts";
import type { TextFile } from "./table.ts";

const byPlace = <Value extends z.ZodType>(value: Value) =>
  z.union([z.array(value), z.record(z.string().regex(/^\d+$/), value)]);

const cube = z.object({
  version: z.string().optional(),
  class: z.literal("dataset"),
  id: z.array(z.string()).min(1).max(20),
  size: z.array(z.int().min(1)),
  role: z.object({ time: z.array(z.string()).optional() }).optional(),
  dimension: z.record(
    z.string(),
    z.object({
      category: z.object({
        index: z.union([z.array(z.string()), z.record(z.string(), z.int())]).optional(),
        label: z.record(z.string(), z.string()).optional(),
      }),
    }),
  ),
  value: byPlace(z.number().nullable()),
  status: z.union([z.string(), byPlace(z.string().nullable())]).optional(),
});

/** All dimensions of a file by name, each with its codes in order. */
export type Cube = {
  dimensions: Record<string, string[]>;
  time: string;
  observations: Observation<string>[];
};

/** Refuses a file that is not a JSON-stat dataset with one time dimension. Cells without a value are left out. */
export function readJsonStat(file: TextFile): Cube {
  const read = cube.safeParse(parsed(file));
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    return fault(file, path.join("."), `is not valid JSON-stat 2.0 (${message})`);
  }
  const { id, size, role, dimension, value, status } = read.data;
  const codes = id.map((name, at) => {
    const { index, label } = dimension[name]?.category ?? {};
    const ordered = Array.isArray(index)
      ? index
      : Object.entries(
          index ?? Object.fromEntries(Object.keys(label ?? {}).map((code, place) => [code, place])),
        )
          .sort(([, a], [, b]) => a - b)
          .map(([code]) => code);
    if (ordered.length === size[at]) return ordered;
    return fault(file, name, `has ${ordered.length} categories, and its size is ${size[at]}`);
  });
  const time = role?.time?.[0] ?? id.find((name) => /^time$/i.test(name));
  if (time === undefined || !id.includes(time)) return fault(file, "role.time", "names no dimension of time");
  const cells = size.reduce((product, count) => product * count, 1);
  const at = <Kept>(kept: Kept[] | Record<string, Kept>, place: number) =>
    Array.isArray(kept) ? kept[place] : kept[String(place)];
  const last = Array.isArray(value) ? value.length : 1 + Math.max(-1, ...Object.keys(value).map(Number));
  if (Array.isArray(value) ? last !== cells : last > cells)
    return fault(file, "value", `spans ${last} cells, and the dimensions have ${cells}`);
  const observations: Observation<string>[] = [];
  for (let place = 0; place < cells; place += 1) {
    const figure = at(value, place);
    if (figure === null || figure === undefined) continue;
    const named: Record<string, string> = {};
    let rest = place;
    for (let axis = id.length - 1; axis >= 0; axis -= 1) {
      named[id[axis]!] = codes[axis]![rest % size[axis]!]!;
      rest = Math.floor(rest / size[axis]!);
    }
    const flag = typeof status === "object" ? (at(status, place) ?? "") : (status ?? "");
    observations.push({ line: 1, codes: named, time: named[time]!, value: figure, flag });
  }
  return { dimensions: Object.fromEntries(id.map((name, axis) => [name, codes[axis]!])), time, observations };
}

/**
 * The observations of one code per dimension outside `kept`: the first of `choices` that it has, or its only one. A
 * dimension with several other codes is refused, because their figures must not be confused.
 */
export function slice(
  file: TextFile,
  { dimensions, time, observations }: Cube,
  kept: readonly string[],
  choices: readonly string[],
): Observation<string>[] {
  const chosen = Object.entries(dimensions)
    .filter(([name]) => name !== time && !kept.includes(name))
    .map(([name, codes]) => {
      const code = codes.length === 1 ? codes[0]! : choices.find((choice) => codes.includes(choice));
      if (code !== undefined) return [name, code] as const;
      const message = `has ${codes.length} values (${codes.slice(0, 5).join(", ")} …); request one of them from the database`;
      return fault(file, name, message);
    });
  return observations.filter(({ codes }) => chosen.every(([name, code]) => codes[name] === code));
}

function parsed({ name, text }: TextFile): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse("invalid", `${name} is not JSON, or was cut off; nothing was imported`);
  }
}

function fault({ name }: TextFile, member: string, what: string): never {
  const message = `${name}: ${member} ${what}; nothing was imported`;
  return refuseWith(`${name}:1:${member}`, message);
}
