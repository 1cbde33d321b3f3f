/** The auditor's count of sealed values, over hostile exports. */
import { expect, test } from "vitest";
import { EventReading } from "../../eventstore/verify/event-reading.ts";
import { EventRow } from "../../eventstore/verify/event-row.ts";
import { type EventSeals, SealedCount } from "../../eventstore/verify/sealed.ts";

const sealed = (subject_id: string) => ({ subject_id, seal_id: "1", iv: "2", ct: "3", tag: "4" });

const header = {
  format: "tallystick-log/1",
  log_id: 1,
  origin: "log.example.com/main/5f1d0c3ab2e94f77",
  exported_at: "",
  first_position: 1,
  previous_log_hash: "",
} as const;
const reading = new EventReading("database", header, []);

function here(payload: string, type = "Any", stream_id = "any-1"): EventSeals | undefined {
  const row = new EventRow();
  row.payload.set(payload);
  row.type.set(type);
  row.stream_id.set(stream_id);
  reading.faults(row);
  return reading.sealed(row);
}

test("an object of exactly these five texts is a sealed value, at any depth", () => {
  const payload = { a: sealed("x"), list: [sealed("y"), { z: sealed("x") }] };
  expect(here(JSON.stringify(payload))!.sealed_for.toSorted()).toEqual(["x", "x", "y"]);
});

test("a payload is counted alike whether it is canonical or not, and one without a sealed value is skipped", () => {
  const { ct, iv, seal_id, subject_id, tag } = sealed("x");
  const inOrder = JSON.stringify({ a: [{ ct, iv, seal_id, subject_id, tag }] });
  expect(here(inOrder)!.sealed_for).toEqual(["x"]);
  expect(here(` ${inOrder}`)!.sealed_for).toEqual(["x"]);
  expect(here('{"a":"seal_id","seal_id_":1}')).toBeUndefined();
});

test.each([
  ["one member more", { ...sealed("x"), more: "5" }],
  ["one member less", { subject_id: "x", seal_id: "1", iv: "2", ct: "3" }],
  ["a number among them", { ...sealed("x"), tag: 4 }],
  ["a text that looks like one", { text: JSON.stringify(sealed("x")) }],
])("%s is not a sealed value", (_, payload) => {
  expect(here(JSON.stringify(payload))?.sealed_for ?? []).toEqual([]);
});

test("invalid JSON, or JSON nested too deeply, counts as nothing, without a crash", () => {
  expect(here('{"seal_id"')!.sealed_for).toEqual([]);
  const depth = 200_000;
  expect(here(`${"[".repeat(depth)}{"seal_id":1}${"]".repeat(depth)}`)!.sealed_for).toEqual([]);
});

test("a value counts as erased when its subject's own stream says so, before it or after", () => {
  const count = new SealedCount(10);
  for (const one of [
    here(JSON.stringify(sealed("x"))),
    here("{}", "SubjectErased", "subject-x"),
    here("{}", "SubjectErased", "order-y"),
    here(JSON.stringify([sealed("x"), sealed("y")])),
  ])
    if (one) count.take(one);
  expect(count.countsOf(false)).toEqual({ values: 3, erased: 2 });
  expect(count.countsOf(true)).toEqual({ values: 3, erased: null });
});

test("no more subjects than the limit are in memory", () => {
  const count = new SealedCount(2);
  for (let n = 0; n < 5; n++) count.take({ sealed_for: [`s${n}`], erased: `s${n}` });
  expect(count.countsOf(false)).toEqual({ values: 5, erased: 2 });
});
