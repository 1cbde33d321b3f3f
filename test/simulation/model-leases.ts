/** The table of leases: it answers the statements of core/coordination/lease.ts. */
import type { VirtualClock } from "./clock.ts";

type Row = { holder: string | null; token: number; held_until: number };
type Answer = (values: readonly unknown[], leases: ModelLeases) => object[];

export class ModelLeases {
  readonly rows = new Map<string, Row>();
  readonly clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  isCurrent(name: string, token: number): boolean {
    const row = this.rows.get(name);
    return row?.token === token && row.held_until > this.clock.now;
  }
}

export const LEASE_ANSWERS: { marks: string; answer: Answer }[] = [
  {
    marks: "taken as (update",
    answer: ([names, holders, seconds], { rows, clock }) =>
      (names as string[]).flatMap((name, n) => {
        const holder = (holders as string[])[n]!;
        const row = rows.get(name);
        if (row && row.held_until >= clock.now && row.holder !== holder) return [];
        const token = (row?.token ?? 0) + 1;
        rows.set(name, { holder, token, held_until: clock.now + Number(seconds) * 1_000 });
        return [{ name, holder, token }];
      }),
  },
  {
    marks: "renewed as (update",
    answer: ([names, tokens, seconds], { rows, clock }) =>
      (names as string[]).map((name, n) => {
        const row = rows.get(name);
        const renewed = row?.token === Number((tokens as number[])[n]);
        if (row && renewed) row.held_until = clock.now + Number(seconds) * 1_000;
        return { lease: n + 1, renewed };
      }),
  },
  {
    marks: "and token = $2 and held_until",
    answer: ([name, token], leases) => (leases.isCurrent(String(name), Number(token)) ? [{}] : []),
  },
  {
    marks: "set holder = null",
    answer: ([name, holder], { rows }) => {
      const row = rows.get(String(name));
      if (row && row.holder === holder)
        rows.set(String(name), { holder: null, token: row.token + 1, held_until: Number.NEGATIVE_INFINITY });
      return [];
    },
  },
];
