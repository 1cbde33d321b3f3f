/** The checker of histories, on ones that are known to be right or wrong. */
import { describe, expect, test } from "vitest";
import { anomaliesOf, type Op, type Transaction } from "./list-append.ts";

const append = (key: string, value: number): Op => ({ append: key, value });
const read = (key: string, ...values: number[]): Op => ({ read: key, values });

/** Overlapping transactions, without a real-time order; listed in sequence. */
const at_once = (...ops: Op[][]): Transaction[] =>
  ops.map((own, n) => ({ id: `t${n}`, ops: own, outcome: "ok", begun: n, ended: 1_000 + n }));
const one_by_one = (...ops: Op[][]): Transaction[] =>
  ops.map((own, n) => ({ id: `t${n}`, ops: own, outcome: "ok", begun: 10 * n, ended: 10 * n + 5 }));
const with_outcome = (outcome: "failed" | "unknown", [first, ...others]: Transaction[]): Transaction[] => [
  { id: first!.id, ops: first!.ops, outcome, begun: first!.begun },
  ...others,
];
const names = (history: readonly Transaction[]) => anomaliesOf(history).map(({ name }) => name);

describe("nothing is found", () => {
  test.each<[string, Transaction[]]>([
    ["where nothing was done", []],
    [
      "in what came one after another",
      one_by_one([append("x", 1)], [read("x", 1), append("x", 2)], [read("x", 1, 2)]),
    ],
    [
      "in what overlaps and could have come in some order",
      at_once([read("x", 1), append("y", 1)], [append("x", 1)], [read("y")]),
    ],
    ["where a transaction reads what it appended", one_by_one([read("x"), append("x", 1), read("x", 1)])],
    [
      "where a read of all lacks what failed",
      with_outcome("failed", one_by_one([append("x", 1)], [read("x")])),
    ],
    [
      "where what nobody knows is read, or is not",
      [
        ...with_outcome("unknown", one_by_one([append("x", 1)], [read("x", 1)])),
        ...with_outcome(
          "unknown",
          one_by_one([append("y", 1)], [read("y")]).map((one) => ({ ...one, id: `${one.id}y` })),
        ),
      ],
    ],
    // It may be done long after its caller left.
    [
      "where what nobody knows is done late",
      with_outcome("unknown", one_by_one([append("x", 1)], [read("x")], [read("x", 1)])),
    ],
  ])("%s", (_, history) => expect(anomaliesOf(history)).toEqual([]));
});

describe("an anomaly is found by its name", () => {
  test("G0: two transactions write two keys in different orders", () => {
    const history = at_once(
      [append("x", 1), append("y", 1)],
      [append("x", 2), append("y", 2)],
      [read("x", 1, 2), read("y", 2, 1)],
    );
    expect(names(history)).toEqual(["G0"]);
  });

  test("G1a: a failed append is read", () =>
    expect(names(with_outcome("failed", at_once([append("x", 1)], [read("x", 1)])))).toEqual(["G1a"]));

  test("G1b: the middle of a transaction is read", () =>
    expect(names(at_once([append("x", 1), append("x", 2)], [read("x", 1)], [read("x", 1, 2)]))).toContain(
      "G1b",
    ));

  test("G1c: each of two transactions reads the other's append", () =>
    expect(names(at_once([append("x", 1), read("y", 1)], [append("y", 1), read("x", 1)]))).toEqual(["G1c"]));

  test("G-single: a read has one key of a transaction and misses its other key", () =>
    expect(
      names(at_once([append("x", 1), append("y", 1)], [read("x", 1), read("y")], [read("y", 1)])),
    ).toEqual(["G-single"]));

  test("G-single: two read one state and both write upon it, a lost update", () =>
    expect(
      names(at_once([read("x"), append("x", 1)], [read("x"), append("x", 2)], [read("x", 1, 2)])),
    ).toEqual(["G-single"]));

  test("G2: each of two transactions misses the other's append, a write skew", () => {
    const history = at_once(
      [read("x"), append("y", 1)],
      [read("y"), append("x", 1)],
      [read("x", 1)],
      [read("y", 1)],
    );
    expect(names(history)).toEqual(["G2"]);
  });

  test("realtime: a read after an append's answer misses the append", () => {
    expect(names(one_by_one([append("x", 1)], [read("x")], [read("x", 1)]))).toEqual(["G-single-realtime"]);
    expect(names(at_once([append("x", 1)], [read("x")], [read("x", 1)]))).toEqual([]);
  });

  test("realtime: of two reads of two keys, the later one has the earlier state", () => {
    const [first, ...others] = one_by_one([append("x", 1)], [read("x", 1)], [read("x")]);
    expect(names([{ ...first!, ended: 1_000 }, ...others])).toEqual(["G-single-realtime"]);
  });

  test("realtime: an operation is ordered before one that was answered before it began", () =>
    expect(names(one_by_one([append("x", 1)], [append("x", 2)], [read("x", 2, 1)]))).toEqual([
      "G0-realtime",
    ]));

  test("lost: an acknowledged append is in no later read", () =>
    expect(names(one_by_one([append("x", 1)], [append("x", 2)], [read("x", 2)]))).toContain("lost"));

  test("duplicate: an append is done twice", () =>
    expect(names(one_by_one([append("x", 1)], [read("x", 1, 1)]))).toContain("duplicate"));

  test("incompatible order: two lists that do not continue each other", () =>
    expect(names(at_once([append("x", 1)], [append("x", 2)], [read("x", 1, 2)], [read("x", 2)]))).toContain(
      "incompatible order",
    ));

  test("unwritten: a read has a value that nobody appended", () =>
    expect(names(at_once([read("x", 9)]))).toEqual(["unwritten"]));

  test("internal: a transaction does not read what it appended", () =>
    expect(names(at_once([read("x"), append("x", 1), read("x")], [read("x", 1)]))).toContain("internal"));
});

test("a cycle of a thousand transactions is found with all its members", () => {
  const ring = 1_000;
  const history = at_once(
    ...Array.from({ length: ring }, (_, n) => [append(`k${n}`, 1), read(`k${(n + 1) % ring}`, 1)]),
  );
  const [cycle, ...others] = anomaliesOf(history);
  expect([cycle!.name, cycle!.of.length, others]).toEqual(["G1c", ring, []]);
});
