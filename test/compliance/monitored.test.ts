/** The fields of an agent's activity: vintages, refusals, disputes, slashed stakes, refunds and scores. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordOf } from "../../src/api/operations/compliance/record.ts";
import type { Field } from "../../src/domain/compliance/document.ts";
import { annexIv, selfAssessment, whoAndWhat } from "../../src/domain/compliance/documents.ts";
import * as part from "../../src/domain/compliance/parts.ts";
import type { AgentRecord } from "../../src/domain/compliance/record.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { computeTrust, resultSha256 } from "../../src/domain/trust/score.ts";
import { tasksProjection } from "../../src/projections/compute/tasks.ts";
import { inputAt } from "../../src/projections/trust/evidence.ts";
import { trustProjection } from "../../src/projections/trust/trust.ts";
import { type Service, startService } from "../support/service.ts";
import { LIMIT_MS } from "../support/until.ts";
import { type Agency, agencyOf, walletOf } from "../trust/agency.ts";

let service: Service;
let agency: Agency;

beforeAll(async () => {
  service = await startService();
  agency = agencyOf(service.app);
  for (const n of [1, 2, 3]) await agency.register(n);
  for (const n of [1, 2]) await agency.prove(n);
});
afterAll(() => service.stop());

const caughtUpPosition = async () => {
  const { position } = await service.app.store.head();
  for (const read of [trustProjection, tasksProjection])
    await service.app.runner.reached(read, position, LIMIT_MS);
  return position;
};
const recordAt = (n: number, position: number) =>
  recordOf({ app: service.app, subjects: service.app.subjects }, `agent.no-${n}`, position);
const record = async (n: number) => recordAt(n, await caughtUpPosition());
const byName = (fields: readonly Field[]) =>
  Object.fromEntries(fields.map(({ name, value, missing }) => [name, value ?? `missing: ${missing}`]));
const NONE = "missing: no event here shows one; supply reports from elsewhere";

/** The payloads and metadata of events, including events that are not public. */
async function payloads(events: readonly { event_id: string }[]): Promise<Record<string, unknown>[]> {
  const text = `select event_id, convert_from(payload, 'UTF8') as payload, convert_from(meta, 'UTF8') as meta
    from eventstore.events where event_id = any($1)`;
  const { rows } = await service.app.pool.query<{ event_id: string; payload: string; meta: string }>(text, [
    events.map(({ event_id }) => event_id),
  ]);
  return events.map(({ event_id }) => {
    const row = rows.find((row) => row.event_id === event_id)!;
    return { ...JSON.parse(row.payload), meta: JSON.parse(row.meta) };
  });
}

test("an agent that only registered has no value in any activity field", async () => {
  const of = await record(3);
  expect(byName(part.monitored(of))).toEqual({
    "Refusals and failures": NONE,
    Disputes: NONE,
    "Stakes that the agent lost": NONE,
    Refunds: NONE,
  });
  for (const field of [part.vintages(of), part.scores(of), part.incidents(of), part.measures(of)])
    expect([field.name, field.value]).toEqual([field.name, null]);
});

test("a task lost in a dispute and one refuted by a re-run are counted with their events", async () => {
  const before = await caughtUpPosition();
  await agency.task(1, payments.walletTenant(walletOf(2)), "lost");
  await agency.task(1, payments.walletTenant(walletOf(2)), "refuted");
  const worker = await record(1);
  expect(byName(part.monitored(worker))).toEqual({
    "Refusals and failures": "TaskRejected: 1",
    Disputes: "TaskDisputeDecided: 1; TaskDisputed: 1",
    "Stakes that the agent lost": expect.stringMatching(/^NodeSlashed: [12]$/),
    Refunds: NONE,
  });
  const [, disputes] = part.monitored(worker);
  expect((await payloads(disputes!.events)).map(({ verdict }) => verdict)).toContain("requester");
  // The requester has the dispute and the refund in its own log.
  expect(byName(part.monitored(await record(2)))).toMatchObject({
    Disputes: "TaskDisputeDecided: 1; TaskDisputed: 1",
    Refunds: expect.stringMatching(/^TaskRefunded: \d/),
  });
  // An earlier position has none of these events.
  expect(byName(part.monitored(await recordAt(1, before)))).toMatchObject({ Disputes: NONE });
});

test("a task that an agent requested and worked on itself is counted once", async () => {
  await agency.task(2, "soul:2", "lost");
  const [, disputes] = part.monitored(await record(2));
  expect(disputes!.value).toBe("TaskDisputeDecided: 2; TaskDisputed: 2");
  expect(new Set(disputes!.events.map(({ event_id }) => event_id)).size).toBe(4);
});

test("paid answers are counted by vintage, operation and month, and refunds separately", async () => {
  const id = await agency.pay(walletOf(1), 0.1, { answered: false });
  const answer = { status: 200, sha256: "cd".repeat(32), vintage: "ef".repeat(32) };
  const answered = () => [
    { type: "PaymentAnswered" as const, data: { answer, answered_at: "2026-11-24T00:00:00.000Z" } },
  ];
  const meta = { actor: "test", operation: "trade_balance" };
  await service.app.decide(payments, payments.targetOf(id), answered, { meta });
  const refund = payments.refundAnswered("test", "2026-11-24T00:00:00.000Z");
  await service.app.decide(payments, payments.targetOf(id), refund, { meta });
  const of = await record(1);
  const vintages = part.vintages(of);
  expect(vintages.value).toBe(`${answer.vintage}: 1`);
  expect(await payloads(vintages.events)).toMatchObject([{ answer }]);
  const month = new Date().toISOString().slice(0, 7);
  const calls = part.calls(of);
  expect(calls.value?.split("; ")).toContain(`${month} trade_balance: 2`);
  const operations = (await payloads(calls.events)).map(
    ({ meta }) => (meta as { operation: string }).operation,
  );
  expect(operations).toContain("trade_balance");
  expect(byName(part.monitored(of))).toMatchObject({ Refunds: "RefundOpened: 1" });
});

test("a score equals its recomputation, whether it is stored or not", async () => {
  await agency.seed(2, 80);
  await agency.attest(2, 3, 6);
  await agency.compute(Date.now());
  const position = await caughtUpPosition();
  const of = await recordAt(3, position);
  const [score] = of.scores;
  expect([of.scores.length, score!.points_micro > 0]).toEqual([1, true]);
  const [computed] = await payloads([score!.event]);
  const result = computeTrust(
    await inputAt(service.app.pool, Number(computed!.as_of_position), Number(computed!.day)),
  );
  expect(resultSha256(result)).toBe(computed!.result_sha256);
  expect(result.scores.find(({ sx }) => sx === 3)?.score).toBe(score!.points_micro);
  expect(part.scores(of).value).toBe(`${score!.day}: ${score!.points_micro / 1e6} of 100`);
  expect(part.scores(await recordAt(1, position)).value).toBeNull();
  // A later computation of the day replaces the stored one, and a rebuilt read model stores none.
  await agency.attest(2, 3, 9, "diligence");
  await agency.compute(Date.now() + 120_000);
  await caughtUpPosition();
  expect(await recordAt(3, position)).toEqual(of);
  await service.app.pool.query("update read.trust_computed_v3 set kept = false");
  expect(await recordAt(3, position)).toEqual(of);
});

test("each document has the activity fields of its provisions", async () => {
  const of = { record: await record(1), classified: null };
  const fieldsOf = (id: string) =>
    [...whoAndWhat(of), ...selfAssessment(of), ...annexIv(of)]
      .find((section) => section.id === id)!
      .fields.map(({ name }) => name);
  const failures = ["Refusals and failures", "Disputes", "Stakes that the agent lost", "Refunds"];
  expect(fieldsOf("what")).toEqual(
    expect.arrayContaining(["Events by month and operation", "Vintages of the data that it bought"]),
  );
  expect(fieldsOf("art-9")).toEqual(expect.arrayContaining([...failures, "Measures taken against it here"]));
  expect(fieldsOf("annex-iv-9")).toEqual(
    expect.arrayContaining([...failures, "Its score, by the last computation of each month"]),
  );
  const names: (keyof AgentRecord)[] = ["calls", "vintageUses", "worked", "scores"];
  for (const name of names) expect([name, (of.record[name] as unknown[]).length > 0]).toEqual([name, true]);
});
