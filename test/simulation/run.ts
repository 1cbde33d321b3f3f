/** Runs one story of payments and says what is wrong at its end. */
import { createHash } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";
import { PaymentRefused } from "../../src/api/serve/x402/payment-refusal.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { BEGIN_MS, VirtualClock } from "./clock.ts";
import { ModelChain } from "./model-chain.ts";
import { ModelLeases } from "./model-leases.ts";
import { ModelLog } from "./model-store.ts";
import { paymentsIn } from "./read-model.ts";
import { type RunResult, resultOf } from "./result.ts";
import { NETWORK, PAYEE, reconcileOnce, type Service, serve, startService, type World } from "./service.ts";
import { BUYERS, LAST_MS, nonceOf, PROCESSES, type Step, storyOf } from "./story.ts";
import { PRICE_MICRO } from "./till.ts";

export { storyOf } from "./story.ts";

/** Everything is settled, refunded or failed by then, if it ever is. */
const END_MS = 500_000;
const RECONCILE_MS = 5_000;
/** A buyer presents its payment again until then. */
const PATIENCE_MS = 200_000;

const accounts = Array.from({ length: BUYERS }, (_, n) =>
  privateKeyToAccount(`0x${createHash("sha256").update(`buyer ${n}`).digest("hex")}`),
);

const TYPES = {
  TransferWithAuthorization: [
    ...["from", "to"].map((name) => ({ name, type: "address" })),
    ...["value", "validAfter", "validBefore"].map((name) => ({ name, type: "uint256" })),
    { name: "nonce", type: "bytes32" },
  ],
};
const DOMAIN = { name: USDC.name, version: USDC.version, chainId: 8453, verifyingContract: USDC.address };

type Bought = { client: string; payment_id: string | undefined; body: string; at: number };

async function signedFor(seed: number, buyer: number, payment: number): Promise<SignedTransfer> {
  const account = accounts[buyer]!;
  const seconds = Math.floor(BEGIN_MS / 1_000);
  const nonce = nonceOf(seed, payment);
  const message = {
    from: account.address,
    to: PAYEE,
    value: PRICE_MICRO,
    validAfter: BigInt(seconds - 600),
    validBefore: BigInt(seconds + 280),
    nonce,
  };
  const signature = await account.signTypedData({
    domain: DOMAIN,
    types: TYPES,
    primaryType: "TransferWithAuthorization",
    message,
  });
  const from = account.address.toLowerCase() as Hex;
  const transfer = {
    from,
    to: PAYEE,
    value: PRICE_MICRO,
    valid_after: message.validAfter,
    valid_before: message.validBefore,
    nonce,
  };
  return { transfer, signature };
}

const headerOf = ({ transfer, signature }: SignedTransfer) => {
  const { from, to, value, valid_after, valid_before, nonce } = transfer;
  const authorization = {
    from,
    to,
    value: `${value}`,
    validAfter: `${valid_after}`,
    validBefore: `${valid_before}`,
    nonce,
  };
  const payment = { x402Version: 1, scheme: "exact", network: "base", payload: { signature, authorization } };
  return Buffer.from(JSON.stringify(payment)).toString("base64");
};

const idOf = ({ transfer }: SignedTransfer) =>
  payments.idOf({
    network: NETWORK,
    asset: USDC.address.toLowerCase() as Hex,
    payer: transfer.from,
    nonce: transfer.nonce,
  });

/** The allowed answers to a caller; any other is a fault of the code, or of a model. */
const isExpected = (error: Error) =>
  error instanceof Refusal ||
  error instanceof PaymentRefused ||
  ["StoreUnavailable", "AppendUnknown"].includes(error.name);

/** Why a turn of a reactor may fail: a part of the world is away. */
const AWAY =
  /^the (chain|database) is away|^the connection broke|^the chain changed while|^the node does not know/;

class Run {
  readonly world: World;
  readonly signed: ReadonlyMap<number, SignedTransfer>;
  readonly bought: Bought[] = [];
  readonly trace: string[] = [];
  readonly broken: string[] = [];
  #services: Service[];
  #calls = 0;
  #incarnation = 0;

  constructor(seed: number, signed: ReadonlyMap<number, SignedTransfer>) {
    const clock = new VirtualClock(seed);
    const chain = new ModelChain(clock);
    this.world = {
      clock,
      chain,
      log: new ModelLog(clock),
      answers: new Map(),
      hosts: new Map(),
      leases: new ModelLeases(clock),
      unfenced: [],
    };
    this.signed = signed;
    for (const { address } of accounts) chain.balances.set(address.toLowerCase() as Hex, 10_000_000n);
    this.#services = PROCESSES.map((name) => startService(this.world, name));
  }

  note(line: string): void {
    this.trace.push(`${String(this.world.clock.now).padStart(6)} ms  ${line}`);
  }

  begin(steps: readonly Step[]): void {
    const { clock, chain } = this.world;
    chain.begin(END_MS);
    for (const step of steps) clock.at(step.at, () => this.#take(step));
    for (const place of PROCESSES.keys()) this.#reconciles(place);
  }

  /** Each process tries at its own moments; the lease says whose turn it is. */
  #reconciles(place: number): void {
    const { clock } = this.world;
    const again = async () => {
      const one = this.#services[place]!;
      const isStill = one.host.died_at !== undefined || clock.now < one.host.paused_until;
      const turn = isStill ? undefined : reconcileOnce(one, this.world).catch((error: Error) => error);
      const outcome = await Promise.race([turn, clock.sleep(60_000)]);
      if (outcome instanceof Error && !isExpected(outcome))
        this.broken.push(outcome.stack ?? outcome.message);
      if (outcome && typeof outcome === "object" && "reason" in outcome && !AWAY.test(String(outcome.reason)))
        this.broken.push(`reconciliation failed: ${outcome.reason}`);
      if (clock.now < END_MS) clock.at(clock.now + RECONCILE_MS, () => void again());
    };
    clock.at(RECONCILE_MS + place * 700, () => void again());
  }

  #take(step: Step): void {
    const { clock, chain, log } = this.world;
    switch (step.do) {
      case "buy":
        this.#buy(
          `buyer ${step.buyer}`,
          step.payment,
          { till: step.till, name: `${step.goods ?? ""} goods ${step.payment}`.trim() },
          step.process,
        );
        return;
      case "steal":
        if (step.carries) chain.submit(this.signed.get(step.payment)!);
        void this.#steal(step);
        return;
      case "die": {
        const { host } = this.#services[step.process]!;
        host.died_at ??= clock.now;
        this.note(`${this.#services[step.process]!.called} dies`);
        const name = `${PROCESSES[step.process]}.${++this.#incarnation}`;
        clock.at(clock.now + step.for_ms, () => {
          this.#services[step.process] = startService(this.world, name);
        });
        return;
      }
      case "pause":
        this.#services[step.process]!.host.paused_until = clock.now + step.for_ms;
        this.note(`${PROCESSES[step.process]} pauses for ${step.for_ms} ms`);
        return;
      case "reorganise":
        chain.reorganise(step.depth);
        this.note(`the chain reorganises ${step.depth} blocks`);
        return;
      case "chain away":
        chain.away_until = clock.now + step.for_ms;
        return;
      case "database away":
        log.away_until = clock.now + step.for_ms;
        return;
      case "answers lost":
        log.silent_until = clock.now + step.for_ms;
    }
  }

  /** A stranger reads the signature in the chain, once a block has it, and buys with it. */
  async #steal({ at, payment, till, process }: Extract<Step, { do: "steal" }>): Promise<void> {
    const { clock, chain } = this.world;
    const { transfer } = this.signed.get(payment)!;
    while (!chain.settled(transfer)) {
      if (clock.now > at + PATIENCE_MS) return;
      await clock.sleep(500);
    }
    this.#buy("stranger", payment, { till, name: `stolen ${payment}` }, process);
  }

  /** Calls until there is an answer, or a refusal that will not change. */
  #buy(client: string, payment: number, input: { till: string; name: string }, process: number): void {
    const { clock } = this.world;
    const signed = this.signed.get(payment)!;
    const header = headerOf(signed);
    const end = clock.now + PATIENCE_MS;
    const attempt = async (place: number): Promise<void> => {
      const service = this.#services[place % PROCESSES.length]!;
      const later = clock.sleep(30_000).then(() => "late" as const);
      const answer = await Promise.race([
        serve(service, header, input, `call-${this.#calls++}`).catch((error: Error) => error),
        later,
      ]);
      if (answer !== "late" && !(answer instanceof Error) && !("due" in answer)) {
        const body = answer.made.kind === "body" ? answer.made.body.toString() : "";
        const payment_id = answer.settlement ? idOf(signed) : undefined;
        this.bought.push({ client, payment_id, body, at: clock.now });
        return this.note(`${client} gets ${body} from ${service.called} for payment ${payment}`);
      }
      const refusal = answer === "late" ? undefined : "due" in answer ? answer.refused : answer;
      this.note(`${client} is refused by ${service.called}: ${refusal?.message ?? "no answer"}`);
      if (refusal && !isExpected(refusal)) this.broken.push(refusal.stack ?? refusal.message);
      const isForGood =
        refusal instanceof PaymentRefused || (refusal instanceof Refusal && refusal.code === "unauthorized");
      if (isForGood || clock.now > end) return;
      await clock.sleep(clock.between(500, 4_000));
      return attempt(place + 1);
    };
    void attempt(process);
  }
}

/** Each claim, its takeovers and its answer are one process's after another: no step is done twice, or by one that lost it. */
function streamViolations({ log }: World): string[] {
  const found: string[] = [];
  for (const [key, recorded] of log.streams) {
    if (!key.includes(`\n${payments.prefix}`)) continue;
    let state: payments.PaymentState;
    for (const { type, payload, position } of recorded) {
      const by = log.writers.get(position);
      if (type === "PaymentClaimed" && !payments.isFree(state))
        found.push("a payment was claimed while it was claimed");
      const answers = type === "PaymentAnswered" || (type === "PaymentSettled" && payload.answer !== null);
      if (answers && state?.answer) found.push("a payment was answered twice");
      if (answers && state?.refund) found.push("a refunded payment was answered");
      if (answers && state?.status === "claimed" && state.held.by !== by)
        found.push("a process answered a payment that another had taken over");
      if (type === "RefundOpened" && state?.refund) found.push("a refund was opened twice");
      state = payments.evolve(state, { type, data: payload } as never);
    }
  }
  return found;
}

/** Everything that must hold once the world is calm. */
function violationsOf({ world, bought, signed, broken }: Run): string[] {
  const { log, chain } = world;
  const found = [...broken, ...world.unfenced, ...streamViolations(world)];
  const rows = new Map(paymentsIn(log).map((row) => [row.id, row.state]));
  const sales = log.events
    .filter(({ type }) => type === "Sold")
    .map(({ payload }) => payload as { name: string; payment_id: string });
  for (const { client, payment_id, body } of bought) {
    const state = payment_id === undefined ? undefined : rows.get(payment_id);
    if (client === "stranger") found.push(`a stranger got ${body} for a buyer's payment`);
    if (!state?.answer) found.push(`the log has no answer of a payment that ${client} was answered for`);
    else if (state.answer.sha256 !== createHash("sha256").update(body).digest("hex"))
      found.push(`${client} got another answer than the log's`);
  }
  for (const transfer of signed.values()) {
    const id = idOf(transfer);
    const own = sales.filter(({ payment_id }) => payment_id === id);
    const state = rows.get(id);
    if (own.length > 1) found.push(`${own.length} sales for one payment`);
    if (own.length === 1 && !state?.answer) found.push("a sale without its payment's answer");
    if (own.length === 0 && state?.answer) found.push("an answer without its sale");
    if (own.some(({ name }) => name.startsWith("stolen")))
      found.push("a stranger's goods were sold for a buyer's payment");
    const moved = chain.settled(transfer.transfer);
    if (state?.status === "claimed" || state?.status === "reorged")
      found.push(`a payment is ${state.status} at the end`);
    if (state?.status === "settled" && moved?.mined.hash !== state.settlement.transaction)
      found.push("the log's settlement is not on the chain");
    if (moved && state && state.status !== "settled")
      found.push(`the chain moved a payment that the log calls ${state.status}`);
    if (state?.status === "settled" && !state.answer && !state.refund)
      found.push("a settled payment has neither answer nor refund");
  }
  const settled = [...rows.values()].filter(({ status }) => status === "settled");
  const known = [...signed.values()].filter((one) => rows.has(idOf(one)));
  const on_chain = known
    .filter(({ transfer }) => chain.settled(transfer))
    .reduce((sum, { transfer }) => sum + transfer.value, 0n);
  const in_log = settled.reduce((sum, { claim }) => sum + BigInt(claim.amount_micro), 0n);
  if (on_chain !== in_log) found.push(`the chain moved ${on_chain} micro-USDC and the log has ${in_log}`);
  return [...new Set(found)];
}

export async function simulate(seed: number, steps: readonly Step[] = storyOf(seed)): Promise<RunResult> {
  const signed = new Map<number, SignedTransfer>();
  for (const step of storyOf(seed))
    if (step.do === "buy" && !signed.has(step.payment))
      signed.set(step.payment, await signedFor(seed, step.buyer, step.payment));
  const run = new Run(seed, signed);
  await run.world.clock.governing(async () => {
    run.begin(steps);
    await run.world.clock.runUntil(END_MS + LAST_MS);
  });
  const { log } = run.world;
  const lines = log.events.map(
    ({ type, stream_id, payload }) => `${type} ${stream_id} ${JSON.stringify(payload)}`,
  );
  return resultOf(violationsOf(run), run.trace, lines);
}
