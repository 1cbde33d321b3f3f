import type { DuckdbLimits } from "./duckdb.ts";

/** The rows of a table sorted at once: some 130 bytes of memory each, within a third of the total. */
export const sortedAtOnce = ({ memory_mb }: DuckdbLimits): number => memory_mb * 2_400;

/** Groups adjacent groups of at most `most` rows together; a larger group stays alone. */
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
