/** The table of leases: it answers the statements of core/coordination/lease.ts. */
import type { VirtualClock } from "./clock.ts";

type Row = { holder: string | null; token: number; held_until: number };
type Answer = (values: readonly unknown[], leases: ModelLeases, sql: string) => object[];

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
    marks: "with ordinality as one (name, ",
    answer: (values, leases, sql) =>
      [...sql.matchAll(/(take|renew)(\d+) as \(\s*select/g)].flatMap(([, verb, place]) => {
        const section = Number(place);
        const [names, owners, seconds] = values.slice(3 * section) as [string[], (string | number)[], number];
        const held_until = leases.clock.now + Number(seconds) * 1_000;
        return names.map((name, n) => {
          const answer = verb === "take" ? take : renew;
          return { section, n: n + 1, ...answer(leases, name, owners[n]!, held_until) };
        });
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

function take({ rows, clock }: ModelLeases, name: string, owner: string | number, held_until: number) {
  const holder = String(owner);
  const row = rows.get(name);
  if (row && row.held_until >= clock.now && row.holder !== holder)
    return { token: null, renewed: null, ms: row.held_until - clock.now };
  const token = (row?.token ?? 0) + 1;
  rows.set(name, { holder, token, held_until });
  return { token, renewed: null, ms: null };
}

function renew({ rows }: ModelLeases, name: string, token: string | number, held_until: number) {
  const row = rows.get(name);
  const renewed = row?.token === Number(token);
  if (row && renewed) row.held_until = held_until;
  return { token: null, renewed, ms: null };
}
