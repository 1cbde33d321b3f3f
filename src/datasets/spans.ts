import type { DuckdbLimits } from "./duckdb.ts";

/** So many rows of a table are sorted at once: some 130 bytes of memory each, of which a third is given to it. */
export const sortedAtOnce = ({ memory_mb }: DuckdbLimits): number => memory_mb * 2_400;

/** Neighbouring groups of rows, joined as long as they have no more than `most` rows together; one that has more stands alone. */
export function spansOf<Group extends { lines: number }>(groups: readonly Group[], most: number): Group[][] {
  const spans: { groups: Group[]; lines: number }[] = [];
  for (const group of groups) {
    const open = spans.at(-1);
    if (open && open.lines + group.lines <= most) {
      open.groups.push(group);
      open.lines += group.lines;
    } else spans.push({ groups: [group], lines: group.lines });
  }
  return spans.map((span) => span.groups);
}
