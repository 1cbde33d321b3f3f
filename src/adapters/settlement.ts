/** The Settlement port over our own gas key. Facts are read in batches and payments are sent in batches. */
import { LRUCache } from "lru-cache";
import type { Heads, Hex, Purpose, Receipt } from "../core/model/chain.ts";
import { HEIGHT_CALL, heightIn } from "../core/model/multicall.ts";
import { type Chain, ChainUnavailable, GasKeyEmpty, TransactionPending } from "../core/model/ports/chain.ts";
import type { PaymentFacts, SignedTransfer } from "../core/model/ports/settlement.ts";
import { type Errand, NotSettled, type PaymentEnd, type Settlement } from "../core/model/ports/settlement.ts";
import {
  CONTRACT_PAYER_GAS,
  endedQuery,
  factCalls,
  isCancellation,
  paymentFacts,
  settledBy,
  stateCalls,
  TRANSFER_GAS,
  transferCall,
} from "../domain/payments/usdc.ts";
import { answeredWithin, readable } from "./json-rpc.ts";
import { ownPayerHistory, type Payer, type PayerHistory } from "./payer-history.ts";

/** The answers to factCalls that precede the trial. */
const STATES = 2;

/** Blocks searched for the end of a presented authorization: two hours on Base. Older ones have been refunded. */
const LOOK_BACK = 3_600n;

const CODE_TTL_MS = 5_000;

/** How long payments are refused after the gas key was found empty. */
const EMPTY_MS = 30_000;

/** A reorg may move a payment into a block before the height at which it was checked. */
const REORG_MARGIN = 16n;

type ChainFacts = PaymentFacts & { seen_block: bigint };

/** The gas budget of a payment; strangers' contract code has its own. */
const purposeOf = (errand: Errand, is_contract: boolean): Purpose =>
  errand === "purchase" ? (is_contract ? "contract settlement" : "settlement") : errand;

/** A quarter more gas than the trial used, because the state may have changed slightly. */
const grantedGas = (tried: bigint): bigint => {
  const granted = tried + tried / 4n;
  return granted < MOST_ALONE_GAS ? granted : MOST_ALONE_GAS;
};

const MOST_ALONE_GAS = TRANSFER_GAS + CONTRACT_PAYER_GAS;

/** Payments with the same name share their authorization and signature. */
const nameOf = ({ transfer, signature }: SignedTransfer) => [...Object.values(transfer), signature].join(" ");

/** How long to wait for the endpoint before a payment's state is reported as unknown. */
const PATIENCE_MS = 5_000;

const REFUSED_WHEN_CARRIED = "the payer's contract refused the transfer when it was carried out";

export type SettlementOptions = {
  patience_ms?: number;
  /** Shared among the processes that send payments by one key. */
  payers?: PayerHistory;
  /** False if a facilitator carries payments: then the gas key needs no ether for a trial. */
  is_carrier?: boolean;
};

export function chainSettlement(chain: Chain, options: SettlementOptions = {}): Settlement {
  const carrier = new Carrier(chain, options);
  return {
    facts: (payment, errand) => carrier.within(carrier.facts(payment, errand)),
    ended: (payment) => carrier.within(recentEnd(chain, payment)),
    settle: (payment, seen_block, errand) => carrier.settle(payment, seen_block, errand),
  };
}

class FactReader {
  readonly #chain: Chain;
  readonly #is_carrier: boolean;
  readonly #plain: (payment: SignedTransfer) => Promise<ChainFacts>;
  readonly #askCode: (account: Hex) => Promise<boolean>;
  readonly #known = new LRUCache<Hex, boolean>({ max: 10_000, ttl: CODE_TTL_MS });

  constructor(chain: Chain, is_carrier: boolean) {
    this.#chain = chain;
    this.#is_carrier = is_carrier;
    this.#plain = gathered((payments: SignedTransfer[]) => readable(readFacts(chain, payments)), nameOf);
    this.#askCode = gathered(
      (accounts: Hex[]) => chain.hasCode(accounts),
      (account) => account,
    );
  }

  /** A recent answer is enough: a payer that has become a contract since is noticed when its batch fails. */
  async hasCode(payer: Hex): Promise<boolean> {
    const found = this.#known.get(payer) ?? (await this.#askCode(payer));
    this.#known.set(payer, found, { noUpdateTTL: true });
    return found;
  }

  /** The current state of the chain. */
  async hasCodeNow(payer: Hex): Promise<boolean> {
    const [is_contract = false] = await this.#chain.hasCode([payer]);
    this.#known.set(payer, is_contract);
    return is_contract;
  }

  async of(payment: SignedTransfer, is_contract: boolean): Promise<ChainFacts> {
    if (is_contract)
      return this.#is_carrier ? this.#ofContract(payment) : this.#alone(payment, CONTRACT_PAYER_GAS);
    const found = await this.#plain(payment);
    const isClear = found.would_settle || found.used || found.balance < payment.transfer.value;
    // Another payment's trial may have spent this balance, or a block may separate the state and the trial.
    return isClear ? found : this.#alone(payment);
  }

  async #alone(payment: SignedTransfer, gas?: bigint): Promise<ChainFacts> {
    const calls = [HEIGHT_CALL, ...factCalls(payment)];
    const [height, ...answers] = await readable(this.#chain.read(calls, { gas }));
    return { ...paymentFacts(answers), seen_block: heightIn(height) };
  }

  /** Contract code can tell a call from a transaction, so it is tried as a transaction. */
  async #ofContract(payment: SignedTransfer): Promise<ChainFacts> {
    const [[height, ...states], trial] = await Promise.all([
      readable(this.#chain.read([HEIGHT_CALL, ...stateCalls(payment.transfer)])),
      this.#chain.trial(transferCall(payment), MOST_ALONE_GAS),
    ]);
    const tried = { success: trial.success, data: trial.success ? "0x" : trial.data } as const;
    return { ...paymentFacts([...states, tried]), seen_block: heightIn(height) };
  }
}

/** The end of a payment that our transaction did not move; undefined if it would succeed now. */
type PaymentEnding = { receipt: Receipt } | { refused: string } | undefined;

/** Sends payments, batched or alone. */
class Carrier {
  readonly #chain: Chain;
  readonly #patience_ms: number;
  readonly #payers: PayerHistory;
  readonly #reader: FactReader;
  /** Payments in flight: all requests for one of them share its transaction. */
  readonly #under_way = new Map<string, Promise<Receipt>>();
  #emptyUntil = 0;

  constructor(
    chain: Chain,
    { patience_ms = PATIENCE_MS, payers = ownPayerHistory(), is_carrier = true }: SettlementOptions,
  ) {
    this.#chain = chain;
    this.#patience_ms = patience_ms;
    this.#payers = payers;
    this.#reader = new FactReader(chain, is_carrier);
  }

  within<T>(answer: Promise<T>): Promise<T> {
    return answeredWithin(this.#patience_ms, answer);
  }

  readonly facts: Settlement["facts"] = async (payment, errand = "purchase") => {
    // Without this check, every claim that cannot be sent would stay in the log.
    if (performance.now() < this.#emptyUntil)
      throw new GasKeyEmpty("the gas key had too little ether a moment ago");
    const { from } = payment.transfer;
    const is_contract = await this.#reader.hasCode(from);
    const [found, barred] = await Promise.all([
      this.#reader.of(payment, is_contract),
      this.#payerOf(from, is_contract).then(this.#payers.barred),
    ]);
    const purpose = purposeOf(errand, is_contract);
    return barred === undefined ? { ...found, purpose } : { ...found, purpose, barred, would_settle: false };
  };

  settle(payment: SignedTransfer, seen_block: bigint, errand: Errand = "purchase"): Promise<Receipt> {
    const name = nameOf(payment);
    const settling =
      this.#under_way.get(name) ??
      this.#carry(payment, seen_block, errand).finally(() => this.#under_way.delete(name));
    this.#under_way.set(name, settling);
    return settling;
  }

  async #carry(payment: SignedTransfer, seen_block: bigint, errand: Errand): Promise<Receipt> {
    const { from } = payment.transfer;
    try {
      const is_contract = await this.within(this.#reader.hasCode(from));
      const barred = await this.within(this.#payerOf(from, is_contract).then(this.#payers.barred));
      // Another process may have sent it before the payer was barred; only the chain can prove that nothing moved.
      if (barred !== undefined) {
        const end = await this.#endOf(payment, seen_block, []);
        if (end && "receipt" in end) return end.receipt;
        throw new NotSettled(barred);
      }
      return is_contract
        ? await this.#carryAlone(payment, seen_block, errand, true)
        : await this.#carryTogether(payment, seen_block, errand);
    } catch (error) {
      if (error instanceof GasKeyEmpty) this.#emptyUntil = performance.now() + EMPTY_MS;
      throw error;
    }
  }

  /**
   * Sends a batch. A payment that the chain still accepts is sent once more, alone, unless its payer has code now:
   * that wastes the others' gas.
   */
  async #carryTogether(payment: SignedTransfer, seen_block: bigint, errand: Errand): Promise<Receipt> {
    const { from } = payment.transfer;
    const receipt = await this.#chain.send(transferCall(payment), {
      gas: TRANSFER_GAS,
      purpose: purposeOf(errand, false),
    });
    if (settledBy(receipt, payment.transfer)) return receipt;
    const end = await this.#endOf(payment, seen_block, [receipt.transaction]);
    if (end && "receipt" in end) return end.receipt;
    const is_contract = await this.within(this.#reader.hasCodeNow(from));
    if (!end && !is_contract) return this.#carryAlone(payment, seen_block, errand, false);
    await this.#noteFailure(payment, await this.within(this.#payerOf(from, is_contract)));
    throw new NotSettled(end?.refused ?? REFUSED_WHEN_CARRIED);
  }

  async #carryAlone(
    payment: SignedTransfer,
    seen_block: bigint,
    errand: Errand,
    is_contract: boolean,
  ): Promise<Receipt> {
    const payer = await this.within(this.#payerOf(payment.transfer.from, is_contract));
    const call = transferCall(payment);
    const trial = await this.within(this.#chain.trial(call, MOST_ALONE_GAS));
    if (!trial.success) {
      const end = await this.#endOf(payment, seen_block, []);
      if (end && "receipt" in end) return end.receipt;
      throw new NotSettled(end?.refused ?? "the payer's contract refuses the transfer as a transaction");
    }
    const receipt = await this.#chain.send(call, {
      gas: grantedGas(trial.gas),
      alone: true,
      purpose: purposeOf(errand, is_contract),
    });
    const end = settledBy(receipt, payment.transfer)
      ? { receipt }
      : await this.#endOf(payment, seen_block, [receipt.transaction]);
    if (end && "receipt" in end) {
      if (is_contract) await this.#payers.carried(payer);
      return end.receipt;
    }
    await this.#noteFailure(payment, payer);
    throw new NotSettled(end?.refused ?? REFUSED_WHEN_CARRIED);
  }

  async #endOf(
    payment: SignedTransfer,
    seen_block: bigint,
    transactions: readonly Hex[],
  ): Promise<PaymentEnding> {
    const fate = await this.within(outcomeOf(this.#chain, this.facts, payment, seen_block)).catch((error) => {
      throw error instanceof ChainUnavailable ? new TransactionPending(transactions) : error;
    });
    if (fate.kind === "settled") return { receipt: fate.receipt };
    if (fate.kind === "unclear") throw new TransactionPending(transactions);
    return fate.kind === "refused" ? { refused: fate.reason } : undefined;
  }

  async #payerOf(address: Hex, is_contract: boolean): Promise<Payer> {
    return { address, code: is_contract ? await this.#chain.code(address) : undefined };
  }

  #noteFailure({ transfer }: SignedTransfer, payer: Payer): Promise<void> {
    return this.#payers.failed(payer, Number(transfer.valid_before));
  }
}

/**
 * The current facts of payments, in one request. All states are read before any trial, because a trial moves money
 * and uses its nonce.
 */
async function readFacts(chain: Chain, payments: readonly SignedTransfer[]): Promise<ChainFacts[]> {
  const calls = [
    HEIGHT_CALL,
    ...payments.flatMap(({ transfer }) => stateCalls(transfer)),
    ...payments.map(transferCall),
  ];
  const [height, ...answers] = await chain.read(calls);
  const seen_block = heightIn(height);
  const trials = answers.slice(STATES * payments.length);
  return payments.map((_, i) => ({
    ...paymentFacts([...answers.slice(STATES * i, STATES * (i + 1)), trials[i]!]),
    seen_block,
  }));
}

/** The end of a recently used authorization. */
async function recentEnd(chain: Chain, payment: SignedTransfer): Promise<PaymentEnd | undefined> {
  const { latest, finalized } = await chain.heads();
  const from = latest.number > LOOK_BACK ? latest.number - LOOK_BACK : 0n;
  return readable(endIn(chain, payment, from, { latest, finalized }));
}

/**
 * The outcome of a payment that our transaction did not move: its end; `open` if it would succeed; `refused` for
 * now; `unclear` if its nonce is spent and the endpoint does not know the transaction yet.
 */
export type Outcome =
  | { kind: "settled"; receipt: Receipt }
  | { kind: "refused"; reason: string }
  | { kind: "open" }
  | { kind: "unclear" };

/** Anybody can submit a signed authorization; if another transaction used it first, it is settled all the same. */
export async function outcomeOf(
  chain: Chain,
  facts: Settlement["facts"],
  payment: SignedTransfer,
  seen_block: bigint,
): Promise<Outcome> {
  const end = await endingOf(chain, payment, seen_block);
  if (end?.kind === "settled") return end;
  if (end) return end.final ? { kind: "refused", reason: end.reason } : { kind: "unclear" };
  const { used, would_settle, reason } = await facts(payment);
  if (would_settle) return { kind: "open" };
  if (used) return { kind: "unclear" };
  return { kind: "refused", reason: `the chain refuses the transfer: ${reason || "it gives no reason"}` };
}

/** How a payment ended, by any transaction up to the newest block; undefined if it has not. */
export async function endingOf(
  chain: Chain,
  payment: SignedTransfer,
  seen_block: bigint,
): Promise<PaymentEnd | undefined> {
  const from = seen_block > REORG_MARGIN ? seen_block - REORG_MARGIN : 0n;
  return endIn(chain, payment, from, await chain.heads());
}

async function endIn(
  chain: Chain,
  { transfer }: SignedTransfer,
  from: bigint,
  { latest, finalized }: Pick<Heads, "latest" | "finalized">,
): Promise<PaymentEnd | undefined> {
  const [log] = await chain.logs(endedQuery([transfer], from, latest.number));
  if (!log) return undefined;
  const final = log.block_number <= finalized.number;
  if (isCancellation(log)) return { kind: "void", reason: "the payer cancelled the authorization", final };
  const receipt = await chain.receipt(log.transaction);
  if (!receipt) return undefined;
  const reason = "the payer used the authorization's nonce for another transfer";
  return settledBy(receipt, transfer) ? { kind: "settled", receipt } : { kind: "void", reason, final };
}

/** The most concurrent requests of one kind; further ones are batched. */
const UNDER_WAY = 2;

/** Batches requests of one tick, or made while others are in flight; requests with equal `nameOf` are sent once. */
function gathered<Question, Answer>(
  ask: (questions: Question[]) => Promise<Answer[]>,
  nameOf: (question: Question) => unknown,
) {
  type Asker = { resolve(answer: Answer): void; reject(error: unknown): void };
  let waiting = new Map<unknown, { question: Question; askers: Asker[] }>();
  let under_way = 0;
  const askAll = async () => {
    if (waiting.size === 0 || under_way >= UNDER_WAY) return;
    const batch = [...waiting.values()];
    waiting = new Map();
    under_way++;
    try {
      const answers = await ask(batch.map(({ question }) => question));
      batch.forEach(({ askers }, i) => {
        for (const { resolve } of askers) resolve(answers[i]!);
      });
    } catch (error) {
      for (const { askers } of batch) for (const { reject } of askers) reject(error);
    } finally {
      under_way--;
      void askAll();
    }
  };
  return (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      const name = nameOf(question);
      const alike = waiting.get(name);
      if (alike) alike.askers.push({ resolve, reject });
      else waiting.set(name, { question, askers: [{ resolve, reject }] });
      if (!alike && waiting.size === 1) setImmediate(askAll);
    });
}
