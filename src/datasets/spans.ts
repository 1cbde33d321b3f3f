/** So many rows are sorted, or lie on the disk as text, at once: some 300 MB of a sort, some 120 MB of text. */
export const ROWS_AT_ONCE = 2_500_000;

/** Neighbouring groups of rows, joined as long as they have no more rows together than may be held at once; one that has more stands alone. */
export function spansOf<Group extends { lines: number }>(groups: readonly Group[]): Group[][] {
  const spans: { groups: Group[]; lines: number }[] = [];
  for (const group of groups) {
    const open = spans.at(-1);
    if (open && open.lines + group.lines <= ROWS_AT_ONCE) {
      open.groups.push(group);
      open.lines += group.lines;
    } else spans.push({ groups: [group], lines: group.lines });
  }
  return spans.map((span) => span.groups);
}
