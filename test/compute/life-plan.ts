/** Random lives of the compute market: steps of its actors, as data that fast-check shrinks and as readable lines. */
import fc from "fast-check";

/** `thin` and `poor` cannot pay a dispute's bond; `known` has ten valid audits. */
export const HONEST_NODES = ["known", "thin", "poor"] as const;
export const THIEVES = ["thief-1", "thief-2", "thief-3"] as const;
export const NODES = [...HONEST_NODES, ...THIEVES] as const;
export const REQUESTERS = ["honest-requester", ...THIEVES] as const;

export type NodeName = (typeof NODES)[number];
export type ThiefName = (typeof THIEVES)[number];
export type RequesterName = (typeof REQUESTERS)[number];

/** `flaky` has another result at each run; the service cannot run `opaque`. */
export const WORK = ["sha256-chain", "js", "sql", "flaky", "opaque"] as const;
export type Work = (typeof WORK)[number];

/** Thieves with `wrong` give equal results; `odd` is another wrong result from each. */
export const ANSWERS = ["right", "wrong", "odd"] as const;
export type ThiefAnswer = (typeof ANSWERS)[number];

/** The called process: one of two, or both at the same time. */
export type At = "first" | "second" | "both";

type Act =
  | {
      does: "submits";
      who: RequesterName;
      work: Work;
      verify: "usual" | "requester" | "quorum";
      price: number;
      deadline_s: number;
      assign: NodeName | null;
    }
  | { does: "pulls"; who: NodeName }
  | { does: "works"; who: NodeName; says: ThiefAnswer }
  | { does: "gives"; who: NodeName; which: number; says: ThiefAnswer }
  | { does: "fails"; who: ThiefName; which: number }
  | { does: "gives late"; who: ThiefName; which: number; says: ThiefAnswer }
  | {
      does: "empties its account";
      who: ThiefName;
      how: "a task for another thief" | "a withdrawal" | "a stake";
    }
  | { does: "stakes"; who: NodeName; part: number }
  | { does: "judges"; who: ThiefName; which: number; accepts: boolean }
  | { does: "cancels"; who: RequesterName; which: number }
  | { does: "claims"; who: NodeName; which: number }
  | { does: "disputes"; who: NodeName; which: number }
  | { does: "decides"; who: "operator"; which: number }
  | { does: "checks"; who: "service"; runs: boolean }
  | { does: "ends what is due"; who: "service" }
  | { does: "passes"; who: "time"; seconds: number; reportedTo: At };

/** `with_next`: begins together with the next step. */
export type Step = Act & { at: At; with_next: boolean };

const at = fc.constantFrom<At>("first", "second", "both");
const which = fc.nat(5);
const node = fc.constantFrom(...NODES);
const thief = fc.constantFrom(...THIEVES);
const requester = fc.constantFrom(...REQUESTERS);
const says = fc.constantFrom(...ANSWERS);
/** Honest requesters come first when shrinking; they are as frequent as all thieves together. */
const asking = fc.oneof(fc.constant<RequesterName>("honest-requester"), requester);

const MINUTE = 60;
const DAY = 86_400;
const SECONDS = [5, 30, MINUTE, 100, MINUTE, 11 * MINUTE, 3_600, DAY, 8 * DAY, 15 * DAY];

type Shape = { [Key in keyof Act]: Act[Key] };
const act = <Of extends Act["does"]>(does: Of, fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ does: fc.constant(does), ...fields }) as unknown as fc.Arbitrary<Shape & Act>;

const acts: [number, fc.Arbitrary<Act>][] = [
  [
    7,
    act("submits", {
      ...{ who: asking, work: fc.constantFrom(...WORK), price: fc.constantFrom(0.001, 0.002, 0.02) },
      verify: fc.constantFrom("usual", "requester", "quorum"),
      deadline_s: fc.constantFrom(3_600, 7 * DAY),
      assign: fc.option(node, { freq: 4 }),
    }),
  ],
  [4, act("pulls", { who: node })],
  [9, act("works", { who: node, says })],
  [4, act("gives", { who: node, which, says })],
  [2, act("fails", { who: thief, which })],
  [1, act("gives late", { who: thief, which, says })],
  [
    3,
    act("empties its account", {
      who: thief,
      how: fc.constantFrom("a task for another thief", "a withdrawal", "a stake"),
    }),
  ],
  [2, act("stakes", { who: node, part: fc.constantFrom(0, 0.5, 1) })],
  [2, act("judges", { who: thief, which, accepts: fc.boolean() })],
  [1, act("cancels", { who: requester, which })],
  [1, act("claims", { who: node, which })],
  [2, act("disputes", { who: node, which })],
  [1, act("decides", { who: fc.constant("operator"), which })],
  [
    5,
    act("checks", {
      who: fc.constant("service"),
      runs: fc.oneof(
        { weight: 4, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: fc.constant(false) },
      ),
    }),
  ],
  [2, act("ends what is due", { who: fc.constant("service") })],
  [2, act("passes", { who: fc.constant("time"), seconds: fc.constantFrom(...SECONDS), reportedTo: at })],
];

const step: fc.Arbitrary<Step> = fc
  .record({
    act: fc.oneof(...acts.map(([weight, arbitrary]) => ({ weight, arbitrary }))),
    at,
    with_next: fc.oneof(fc.constant(false), fc.constant(false), fc.boolean()),
  })
  .map(({ act, ...how }) => ({ ...act, ...how }));

const plain = { at: "first", with_next: false } as const;
const looks: Step = { does: "checks", who: "service", runs: true, ...plain };

/** A submitted and done task; a thief may move its money before the check. */
const task = fc
  .record({
    ...{ who: asking, work: fc.constantFrom(...WORK), price: fc.constantFrom(0.001, 0.02), by: node, says },
    ...{ at, assigned: fc.boolean(), hides: fc.boolean(), runs: fc.boolean() },
  })
  .map(({ who, work, price, by, says, at, assigned, hides, runs }): Step[] => [
    {
      does: "submits",
      who,
      work,
      price,
      verify: "usual",
      deadline_s: 7 * DAY,
      assign: assigned ? by : null,
      ...plain,
    },
    { does: "works", who: by, says, at, with_next: false },
    ...(hides ? THIEVES : []).map(
      (who): Step => ({ does: "empties its account", who, how: "a task for another thief", ...plain }),
    ),
    { ...looks, runs, at },
  ]);

/** A task of several copies that these nodes do one after the other. */
const copies = fc
  .record({
    ...{ who: asking, work: fc.constantFrom(...WORK), at },
    doers: fc.array(fc.tuple(node, says, fc.boolean()), { minLength: 2, maxLength: 4 }),
    runs: fc.boolean(),
  })
  .map(({ who, work, at, doers, runs }): Step[] => [
    {
      does: "submits",
      who,
      work,
      price: 0.002,
      verify: "quorum",
      deadline_s: 7 * DAY,
      assign: null,
      ...plain,
    },
    ...doers.flatMap(([by, says, with_next], n): Step[] => [
      { does: "works", who: by, says, at: n === 0 ? "first" : at, with_next: n > 0 && with_next },
      ...(n === 0 ? [looks] : []),
    ]),
    { ...looks, runs, at },
  ]);

const scene = fc.oneof(
  { weight: 3, arbitrary: step.map((one): Step[] => [one]) },
  { weight: 1, arbitrary: task },
  { weight: 1, arbitrary: copies },
);

export const lives: fc.Arbitrary<Step[]> = fc
  .array(scene, { minLength: 20, maxLength: 50, size: "max" })
  .map((scenes) => scenes.flat());

/** Known attacks in one life: each step is harmless because of its own fix. */
export function knownAttacks(): Step[] {
  const submits = (work: Work, more: Partial<Step & { does: "submits" }> = {}): Step => ({
    ...{ does: "submits", who: "honest-requester", work, verify: "usual", price: 0.02, deadline_s: 7 * DAY },
    ...{ assign: null, ...plain },
    ...more,
  });
  const works = (who: NodeName, says: ThiefAnswer): Step => ({ does: "works", who, says, ...plain });
  const passes = (seconds: number): Step => ({
    does: "passes",
    who: "time",
    seconds,
    reportedTo: "both",
    ...plain,
  });
  const stakes = (who: NodeName, part: number): Step => ({ does: "stakes", who, part, ...plain });
  const due: Step = { does: "ends what is due", who: "service", ...plain };
  const cannotLook: Step = { does: "checks", who: "service", runs: false, ...plain };
  const same = (work: Work, judges: Step, ...third: Step[]): Step[] => [
    submits(work, { verify: "quorum", price: 0.002 }),
    ...[works("thief-1", "wrong"), looks, works("thief-2", "wrong"), ...third, judges],
  ];
  return [
    // A task whose result changes with time.
    ...[submits("flaky", { who: "thief-1", assign: "poor" }), works("poor", "right"), looks],
    // A node with a price of 0 that fails its tasks.
    ...[submits("js"), { does: "pulls", who: "thief-3", ...plain } as const],
    ...[{ does: "fails", who: "thief-3", which: 0, ...plain } as const, passes(30)],
    ...[works("thief-3", "wrong"), works("known", "right"), looks],
    ...[submits("js", { assign: "thief-3" }), works("thief-3", "right"), looks],
    // A thief's own task.
    ...[submits("js", { who: "thief-1", assign: "thief-1" }), works("thief-1", "right"), looks],
    // Two equal wrong results and a right one, and a kind without a check.
    ...same("sha256-chain", looks, works("known", "right")),
    ...same("js", cannotLook),
    // A result that nobody can check.
    ...[submits("sql", { assign: "thief-2" }), works("thief-2", "wrong"), cannotLook, passes(7_200), due],
    // Money moved away before the check.
    ...[submits("sha256-chain", { assign: "thief-1" }), works("thief-1", "wrong")],
    { does: "empties its account", who: "thief-1", how: "a task for another thief", ...plain },
    looks,
    // A stake withdrawn before the result that is free before the check.
    ...[passes(2 * DAY), due, stakes("thief-2", 1), stakes("thief-2", 0), passes(7 * DAY - 3_600), due],
    ...[submits("sha256-chain", { assign: "thief-2" }), works("thief-2", "wrong"), passes(7_200), due, looks],
  ];
}

/** A step as a line, with all of its random parts. */
export function lineOf({ who, does, at, with_next, ...rest }: Step): string {
  const more = Object.entries(rest).map(([name, value]) => `${name} ${value ?? "nobody"}`);
  const how = who === "time" ? "" : ` at ${at === "both" ? "both processes" : `the ${at} process`}`;
  return `${who} ${does}${more.length > 0 ? ` (${more.join(", ")})` : ""}${how}${with_next ? ", and at the same time" : ""}`;
}
