/** Small logs with hand-written evidence, as docs/trust-score.md defines it for tasks, slashes and disputes. */

/** The day of every case: 2026-11-22. */
export const DAY = 20_779;

/** The part of an exported event that evidence needs. */
export type LogEvent = {
  position: number;
  tenant: string;
  stream_id: string;
  type: string;
  payload: string;
  recorded_at_us: number;
};

export type EvidenceRow = [kind: string, sx: number, points: number, day: number];
export type LogCase = [name: string, events: LogEvent[], evidence: EvidenceRow[]];

const DAY_US = 86_400_000_000;
const at = (day: number) => new Date((day * DAY_US) / 1_000).toISOString();

type VectorEvent = { tenant: string; stream_id: string; type: string; data: object; day: number };

const said = (tenant: string, stream_id: string, type: string, data: object, day = DAY): VectorEvent => ({
  ...{ tenant, stream_id, type, data, day },
});

const log = (...parts: (VectorEvent | VectorEvent[])[]): LogEvent[] =>
  parts.flat().map(({ data, day, ...event }, index) => ({
    ...{ position: index + 1, ...event },
    ...{ payload: JSON.stringify(data), recorded_at_us: day * DAY_US + index },
  }));

const ofAgent = (n: number, type: string, data: object, day?: number) =>
  said("operator", `agent-no-${n}`, type, data, day);
const agent = (n: number) => ofAgent(n, "AgentRegistered", { sx_number: n });
const proven = (n: number, wallet: string) =>
  ofAgent(n, "AgentKeyProven", { kid: wallet, kind: "evm", public: wallet });
const delegated = (n: number, to: number, expires = DAY + 1) =>
  ofAgent(n, "AgentDelegated", { delegation_id: `d-${n}-${to}`, to, expires_at: at(expires) });

/** A tenant's paid call without a refund. */
const paid = (
  tenant: string,
  payer: string,
  usdc = 1,
  day = DAY,
  id = `${tenant}-${payer}`,
): VectorEvent[] => {
  const facts = { payer, tenant, amount_micro: Math.round(usdc * 1e6), operation: "trade_balance" };
  const of = (type: string, data: object) => said(tenant, `payment-${id}`, type, data, day);
  return [of("PaymentClaimed", facts), of("PaymentSettled", {})];
};

/** The events of a task of 0.1 USDC, with a fee of 0.01. */
const task = (requester: string, worker: number, id = "t", day = DAY) => {
  const of = (type: string, data: object = {}) => said(requester, `task-${id}`, type, data, day);
  const account = (tenant: string, type: string, data: object) =>
    said(tenant, `account-${tenant}`, type, data, day);
  const hold_id = `task:${id}`;
  const own = `soul:${worker}`;
  return {
    lent: [
      of("TaskSubmitted", { terms: { limit_s: 100 } }),
      of("TaskLeased", { sx: worker, leased_at: at(day) }),
    ],
    settled: of("TaskSettled", { price_micro: 100_000, provider_micro: 90_000, fee_micro: 10_000 }),
    spent: (spent_micro = 100_000, tenant = requester) =>
      account(tenant, "AccountHoldReleased", { hold_id, spent_micro, back_micro: 0 }),
    earned: (amount_micro = 90_000, tenant = own) =>
      account(tenant, "AccountCredited", { source: hold_id, amount_micro }),
    audited: (verdict: string) => of("TaskAudited", { verdict }),
    slashed: (sx = worker) =>
      said(`soul:${sx}`, `node-${sx}`, "NodeSlashed", { task_id: id, amount_micro: 0 }, day),
    decided: (verdict: string) => of("TaskDisputeDecided", { verdict }),
    bond: (side: "worker" | "requester", spent_micro = 10_000) =>
      account(side === "worker" ? own : requester, "AccountHoldReleased", {
        ...{ hold_id: `bond:${side}:${id}`, spent_micro, back_micro: 0 },
      }),
  };
};

/** A task that was done and paid. */
const done = (requester: string, worker: number, id = "t", day = DAY): VectorEvent[] => {
  const { lent, settled, spent, earned } = task(requester, worker, id, day);
  return [...lent, settled, spent(), earned()];
};

const TWO: EvidenceRow = ["task", 1, 2_000_000, DAY];
const TEN_LOST = (sx: number): EvidenceRow => ["penalty", sx, 10_000_000, DAY];

const t = task("acme", 1);
const acme = paid("acme", "0xaa");

export const logCases: LogCase[] = [
  ["a task that was done and paid", log(agent(1), acme, done("acme", 1)), [TWO]],
  ["whichever of its events stands first", log(acme, t.lent, t.earned(), t.spent(), t.settled), [TWO]],
  [
    "of a requester that has bought nothing, six points a USDC of fees",
    log(done("acme", 1)),
    [["task", 1, 60_000, DAY]],
  ],
  ["not before the money has left the requester's account", log(acme, t.lent, t.settled, t.earned()), []],
  ["nor where it was another's", log(acme, t.lent, t.settled, t.spent(100_000, "else"), t.earned()), []],
  ["nor where it was another sum", log(acme, t.lent, t.settled, t.spent(99_999), t.earned()), []],
  ["not before the money has come to the worker", log(acme, t.lent, t.settled, t.spent()), []],
  ["nor where another got it", log(acme, t.lent, t.settled, t.spent(), t.earned(90_000, "soul:2")), []],
  ["nor where it was another sum that came", log(acme, t.lent, t.settled, t.spent(), t.earned(1)), []],
  [
    "not where the task came to two results",
    log(acme, t.lent, t.audited("void"), t.settled, t.spent(), t.earned()),
    [],
  ],
  ["not where it was refunded", log(acme, t.lent, t.spent(0)), []],
  ["not by word of the accounts alone", log(acme, t.lent, t.spent(), t.earned()), []],
  ["a task of one's own", log(agent(1), done("soul:1", 1)), []],
  ["a task of one's own wallet", log(agent(1), proven(1, "0xaa"), done("wallet:0xaa", 1)), []],
  [
    "a task of a wallet that one had before",
    log(
      ...[agent(1), proven(1, "0xaa"), ofAgent(1, "AgentKeyRevoked", { kid: "0xaa" })],
      ...[paid("wallet:0xaa", "0xaa"), done("wallet:0xaa", 1)],
    ),
    [TWO],
  ],
  [
    "a task of a tenant that one's wallet has paid for",
    log(agent(1), proven(1, "0xaa"), acme, done("acme", 1)),
    [["spend", 1, 1_000_000, DAY]],
  ],
  ["a delegation from the requester", log(agent(1), agent(2), delegated(2, 1), done("soul:2", 1)), []],
  ["a delegation to the requester", log(agent(1), agent(2), delegated(1, 2), done("soul:2", 1)), []],
  [
    "a delegation from the holder of the requester's wallet",
    log(agent(1), agent(2), proven(2, "0xbb"), delegated(2, 1), done("wallet:0xbb", 1)),
    [],
  ],
  [
    "a delegation that had ended, was taken back, is of a revoked passport or came later",
    log(
      ...[agent(1), agent(2), agent(3), agent(4), agent(5)],
      ...[delegated(2, 1, DAY), delegated(3, 1), delegated(4, 1)],
      ofAgent(3, "AgentDelegationRevoked", { delegation_id: "d-3-1" }),
      ofAgent(4, "PassportRevoked", {}),
      ...[done("soul:2", 1, "a"), done("soul:3", 1, "b"), done("soul:4", 1, "c"), done("soul:5", 1, "d")],
      delegated(5, 1),
    ),
    Array.from({ length: 4 }, () => ["task", 1, 60_000, DAY]),
  ],
  [
    "a payment that was given back was not kept",
    log(acme, said("acme", "payment-acme-0xaa", "RefundOpened", {}), done("acme", 1)),
    [["task", 1, 60_000, DAY]],
  ],
  [
    "what the chain took back had paid for what was done since, and its fees were none",
    log(
      ...[done("acme", 1, "a"), paid("acme", "0xaa", 0.000001, DAY, "p"), done("acme", 2, "b")],
      said("acme", "payment-p", "PaymentReorged", {}),
      said("acme", "account-acme", "AccountCreditReversed", { source: "payment:p", debt_micro: 1 }),
      done("acme", 3, "c"),
    ),
    // Fees of a and c allow six points a USDC, less those given to a and b: nothing remains for c.
    [["task", 1, 60_000, DAY]],
  ],
  [
    "what it took back before it was spent changes nothing",
    log(
      ...[paid("acme", "0xaa", 1, DAY, "p"), done("acme", 1)],
      said("acme", "account-acme", "AccountCreditReversed", { source: "payment:p", debt_micro: 0 }),
    ),
    [TWO],
  ],
  [
    "a result that our own re-run refuted",
    log(t.lent, t.audited("mismatch"), t.slashed(), t.spent(0)),
    [TEN_LOST(1)],
  ],
  ["a slash without a re-run of ours", log(t.lent, t.slashed(), t.spent(0)), []],
  ["a slash of somebody else", log(t.lent, t.audited("mismatch"), t.slashed(2), t.spent(0)), []],
  ["a re-run without a slash", log(t.lent, t.audited("mismatch"), t.spent(0)), []],
  ["a slash before the requester has its money", log(t.lent, t.audited("mismatch"), t.slashed()), []],
  ["a dispute that the worker lost", log(t.lent, t.decided("requester"), t.bond("worker")), [TEN_LOST(1)]],
  [
    "a dispute that an agent lost as a requester",
    log(
      ...[agent(2), task("soul:2", 1).lent, task("soul:2", 1).decided("worker")],
      task("soul:2", 1).bond("requester"),
    ),
    [TEN_LOST(2)],
  ],
  [
    "a dispute that an agent's wallet lost as a requester",
    log(
      ...[agent(2), proven(2, "0xbb"), task("wallet:0xbb", 1).lent, task("wallet:0xbb", 1).decided("worker")],
      task("wallet:0xbb", 1).bond("requester"),
    ),
    [TEN_LOST(2)],
  ],
  [
    "a dispute that somebody without a passport lost",
    log(t.lent, t.decided("worker"), t.bond("requester")),
    [],
  ],
  [
    "a dispute for which the loser put up nothing",
    log(t.lent, t.decided("requester"), t.bond("worker", 0)),
    [],
  ],
  ["a dispute that nobody decided", log(t.lent, t.decided("none"), t.bond("worker")), []],
  [
    "a task takes points away once",
    log(
      ...[t.lent, t.audited("mismatch"), t.slashed(), t.spent(0)],
      ...[t.decided("requester"), t.bond("worker")],
    ),
    [TEN_LOST(1)],
  ],
];

/** Cases that need each of their events, except the agent's first. */
export const WHOLE = [
  "a task that was done and paid",
  "a result that our own re-run refuted",
  "a dispute that the worker lost",
];
