/** What the service needs from outside. One real adapter each in src/adapters, one fake in test/support. */
import type { Limits, Usage } from "../../domain/access/quota.ts";
import type { BuiltIn } from "../../domain/compute/kinds.ts";
import type { Parse } from "../../domain/evolution/checks.ts";
import type { CopiedEvent } from "../../domain/outside/copied-event.ts";
import type { PaymentFacts, SignedTransfer } from "../../domain/payments/usdc.ts";
import type {
  Block,
  Call,
  CallResult,
  Heads,
  Hex,
  Log,
  LogQuery,
  Purpose,
  ReadOptions,
  Receipt,
  SendOptions,
  StateProof,
  Trial,
} from "./chain.ts";
import type { Chart, Provenance } from "./chart.ts";
import type { Doc } from "./doc.ts";
import type { Json, Personal, Sealed, SealPlace, SubjectName } from "./sealed.ts";
import type { Sheet } from "./sheet.ts";

export type Clock = { now(): Date };

export type Random = { bytes(length: number): Uint8Array };

/** An answer to be written in another form than JSON. */
export type Print =
  | { form: "text/csv"; sheet: Sheet }
  | { form: "application/vnd.apache.parquet"; sheet: Sheet; meta: object }
  | { form: "image/svg+xml" | "image/png"; chart: Chart; provenance: Provenance }
  | { form: "text/markdown" | "text/html" | "application/pdf"; doc: Doc };

export type Printer = {
  /** The same order gives the same bytes. Refuses `busy` when too many wait, `unavailable` when it fails. */
  print(order: Print): Promise<Buffer>;
};

/** Parses texts of strangers, which are never run. */
export type Parser = {
  /** What is wrong with a text as TypeScript. Refuses `unavailable` when too many wait, or nothing can be said of it now. */
  typescript: Parse;
};

export type QuotaKey = { key_id: string } & Limits;
export type Taken = { granted: boolean; usage: Usage };

export type Quotas = {
  /** Counts one call against both windows of a key, or says that one of them is used up. */
  take(key: QuotaKey): Promise<Taken>;
};

/** So many calls of an address in a minute or an hour from its first, or in a UTC day. */
export type CallLimit = { name: string; calls: number; per: "minute" | "hour" | "day" };

/** Whether a call was granted, how many are left after it, and in how many seconds they all are again. */
export type CallsLeft = { granted: boolean; remaining: number; reset_s: number };

/** Calls counted by address, once for all processes. A limit's name is its own: it is either taken from or added to. */
export type AddressLimits = {
  /** Takes one of the calls that an address has; never grants more than there are. */
  take(limit: CallLimit, address: string): Promise<CallsLeft>;
  /** Counts what an address did, after the fact. */
  add(limit: CallLimit, address: string, points?: number): void;
  /** Whether that has reached the limit, as far as this process has heard. */
  isSpent(limit: CallLimit, address: string): boolean;
};

/** An answer as it was given. `body` is null when it is the answer of the payment named by `payment_id`. */
export type KeptAnswer = {
  request_sha256: string;
  status: number;
  body: Buffer | null;
  payment_id: string | null;
};

export type KeptAnswers = {
  /** What was kept under this name in the last 24 hours, and of whom it tells. */
  find(name: string): Promise<(KeptAnswer & { subjects: readonly string[] }) | undefined>;
  /** Keeps an answer of at most 1 MiB; a larger one is let go, and so is one that tells of `subjects` of whom one is forgotten. */
  keep(name: string, answer: KeptAnswer, subjects?: readonly string[]): Promise<void>;
  /** Deletes what is kept of a subject, and keeps nothing that tells of it from then on; says how many answers there were. */
  forget(subject_id: string): Promise<number>;
};

/** An object of at most 1 MiB, and the name that its digest gives it. */
export type SmallObject = { name: string; bytes: Uint8Array };

/** Bytes that are not events, by the names of src/core/model/objects.ts. Bytes that are not what they are named reject with ObjectDamaged. */
export type Objects = {
  /** Rejects with ObjectsUnavailable where files can be neither put nor had, and names the setting to change. */
  check(): Promise<void>;
  /**
   * At most 1 MiB. Lies for an hour, unless a read model says for how much longer once the log names it. Outlives a crash of Postgres with
   * the commit that names it, and not before.
   */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** All of them or none, in the time that one takes. */
  putAll(objects: readonly SmallObject[]): Promise<void>;
  /** A file of any size, kept as long; rejects with ObjectsUnavailable, as the others that come to files do. */
  putFile(name: string, path: string): Promise<void>;
  /** What `put` put. */
  get(name: string): Promise<Buffer | undefined>;
  /** Writes what `putFile` put to a new file, which is there only when its bytes are those that were named; false: there is none. */
  getFile(name: string, path: string): Promise<boolean>;
  /** The same file where this machine keeps it, for some hours: fetched once, and held against its name whenever it is another than it was. */
  localFile(name: string): Promise<{ path: string; bytes: number } | undefined>;
  /** Gives the path of a new file, which is removed when the work is done. */
  aside<T>(work: (path: string) => Promise<T>): Promise<T>;
  has(name: string): Promise<boolean>;
  /** The names that begin so, in order. */
  list(beginning: string): Promise<string[]>;
  /** Says how many there were. */
  delete(names: readonly string[]): Promise<number>;
  /** Deletes some of those whose time is past, and says how many. */
  deletePast(most: number): Promise<number>;
};

/** Where files lie: a folder, or a bucket. It knows nothing of for how long. Rejects with ObjectsUnavailable. */
export type ObjectPlace = {
  /** Tries it. */
  check(): Promise<void>;
  /** Whole or not at all; put again it is the same. */
  put(name: string, file: { path: string; sha256: string; bytes: number }): Promise<void>;
  /** As they come, not held against the name; undefined: there is none. */
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** One that is not there is no error. */
  delete(name: string): Promise<void>;
};

/** The place of objects cannot be asked now, or refuses; the message says what to change. */
export class ObjectsUnavailable extends Error {
  override readonly name = "ObjectsUnavailable";
}

/** What a program came to: by its own end, or by a limit that is part of its task. */
export type Ran = { exit: "ok" | "limit"; output: { readonly [member: string]: Json } };

/** Runs tasks of the built-in kinds, with inputs that `readKind` gave. */
export type Executor = {
  /** Names the program that runs them. */
  readonly engine_sha256: string;
  /** `failed`: nothing can be said of it, since it was killed or died; the signal kills it, too. Never rejects. */
  run(work: {
    kind: BuiltIn;
    input: object;
    limit_s: number;
    signal?: AbortSignal;
  }): Promise<Ran | { exit: "failed"; reason: string }>;
};

/** A public key of Ed25519 as a JWK (RFC 8037). */
export type OkpKey = { kty: "OKP"; crv: "Ed25519"; x: string };

/** The service's own Ed25519 key. `kid` is its thumbprint (RFC 7638); a signature has 64 bytes. */
export type Signer = {
  readonly kid: string;
  readonly public_key: OkpKey;
  sign(bytes: Uint8Array): Uint8Array;
};

/** The secret chains of seeds that random numbers are drawn from; chains are counted from 1, their seeds from 0. */
export type SeedVault = {
  /** Seeds in a chain. */
  readonly length: number;
  /** SHA-256 of a chain's first seed, in hex: what is published of it. */
  head(space: string, chain: number): string;
  /** 32 bytes that nobody outside may see before they are revealed. */
  seed(space: string, chain: number, index: number): Uint8Array;
};

/** How far a seed is used: what was taken of it, and for how long nothing more is; null while there is more. */
export type SeedUse = { taken: number; closed_s: number | null };

/** How often each seed is drawn from, counted once for all processes, before what is drawn is recorded. */
export type SeedUses = {
  /**
   * Takes so many at once, or none where they are more than is left of `most`: then nobody takes any more of this seed.
   * `before` tells how often it was drawn from already; it is asked where the seed has no count yet.
   */
  take(
    seed_hash: string,
    wanted: { count: number; most: number; before: () => Promise<number> },
  ): Promise<boolean>;
  /** Gives back what was taken for something that is recorded nowhere. */
  release(seed_hash: string, count: number): Promise<void>;
  /** Undefined for a seed that nothing was taken of. */
  find(seed_hash: string): Promise<SeedUse | undefined>;
};

/** A value to be sealed: about whom it is, and where in the log it will stand. */
export type ToSeal = {
  subject: SubjectName;
  place: SealPlace;
  value: Personal;
  /** Nobody has had this name before, as of an execution: no key is looked for before one is made. Where it is wrong it costs time alone. */
  is_new?: boolean;
};

/** A sealed value as it is opened: what it says, or that whom it is about was erased. */
export type Opened =
  | { erased: false; subject_id: string; value: Personal }
  | { erased: true; subject_id: string };

/** A key that nothing is known to be recorded under: when it was given out, as the vault writes it, and how long ago. */
export type GivenKey = { subject_id: string; given_at: string; age_s: number };

/** The vault of personal data: a key for each subject, and nothing but those keys. Rejects with SubjectsUnavailable where it cannot be asked. */
export type Subjects = {
  /** Seals a page of values; whoever is not known becomes a subject. One question to the vault, two where somebody is new and is not said to be. */
  seal(page: readonly ToSeal[]): Promise<Sealed[]>;
  /** Opens a page of values by one question. Rejects with SealBroken for one that stood elsewhere, or was changed. */
  open(page: readonly { sealed: Sealed; place: SealPlace }[]): Promise<Opened[]>;
  /** The subject of this name; undefined where there is none, or it was erased. */
  find(subject: SubjectName): Promise<string | undefined>;
  /** Destroys the keys of subjects, for good; those that have none are passed over. Says how many had one. */
  erase(subject_ids: readonly string[]): Promise<number>;
  /** So many of the keys that `used` was not told of, those first that were given out longest ago. */
  given(limit: number): Promise<GivenKey[]>;
  /** Something is recorded under the keys of these. */
  used(subject_ids: readonly string[]): Promise<void>;
  /** Destroys keys that were not given out again since; says how many. */
  recall(keys: readonly GivenKey[]): Promise<number>;
  /** Wraps by the present master key what an older one wrapped, which is known no more then; says how many keys it were. */
  rewrap(): Promise<number>;
  /** Days that copies of the vault are kept: so long a key that is destroyed here may stand in one. */
  readonly backup_days: number;
};

/** A sealed value does not open: it stands elsewhere than where it was sealed for, or was changed. */
export class SealBroken extends Error {
  override readonly name = "SealBroken";
}

/** The vault cannot be asked now, or there is none; ask again later. */
export class SubjectsUnavailable extends Error {
  override readonly name = "SubjectsUnavailable";
}

/** Why a model gave no text. */
export const modelTroubles = {
  unreached: "it could not be reached",
  late: "it did not answer in time",
  refused: "it refused to answer",
  too_large: "its answer was too large",
  unreadable: "its answer was none that such an endpoint gives",
  budget_spent: "the tokens of the day are spent",
} as const;
export type ModelTrouble = keyof typeof modelTroubles;

/** What became of asking a model: what was kept of its text, or why nothing was. */
export type ModelAsked<Kept, Why> = ({ kept: Kept } | { why: Why | ModelTrouble }) & {
  prompt_sha256: string;
  /** Of the text that was read last; null where there was none. */
  answer_sha256: string | null;
  /** That counted against the day's budget. */
  tokens: number;
};

/** `data` is the whole user message, as JSON; `form` the JSON Schema of the answer; `within_ms` less than the minute that asking may take. */
export type Question = {
  instructions: string;
  data: object;
  form: object;
  signal: AbortSignal;
  within_ms?: number | undefined;
};

/** A language model somewhere else, whose word counts for nothing by itself. */
export type Model = {
  readonly name: string;
  /** Where it is asked. */
  readonly host: string;
  /**
   * Asks it once, and again where nothing comes of it; a minute in all. `read` says what a text comes to. Rejects where `signal`
   * does.
   */
  ask<Kept, Why>(
    question: Question,
    read: (text: string) => { kept: Kept } | { why: Why },
  ): Promise<ModelAsked<Kept, Why>>;
};

/** A copy of the log in another store, for whoever wants to subscribe there: one stream, in which an event stands at its position. */
export type OutsideLog = {
  /** Where it is, without credentials. */
  readonly host: string;
  /** The newest event and its revision; undefined for a new stream. All of these reject with OutsideUnavailable. */
  newest(): Promise<{ event: CopiedEvent; revision: number } | undefined>;
  /** Appends the events after `after` and sees them there. False where the server expects another revision. */
  append(after: number, events: readonly CopiedEvent[]): Promise<boolean>;
  /** All of it from the beginning. */
  read(): AsyncIterable<CopiedEvent>;
  /** Has the store link each event into a stream of its own name; false where it does so already. */
  install(): Promise<boolean>;
  /** How far this process has copied; undefined before it has. */
  copied: number | undefined;
  close(): Promise<void>;
};

/** Why the store outside takes or shows no event: only `unreached` ends by itself. */
export type OutsideStatus =
  | "unreached"
  | "deleted"
  | "truncated"
  | "oversized"
  | "denied"
  | "projections_off";

/** The store outside gave no answer in time, or one that keeps the copy from going on; `status` tells which. */
export class OutsideUnavailable extends Error {
  override readonly name = "OutsideUnavailable";
  readonly status: OutsideStatus;

  constructor(message: string, { status, cause }: { status: OutsideStatus; cause?: unknown }) {
    super(message, { cause });
    this.status = status;
  }
}

/** What a webhook answered; of its body nothing is kept. */
export type WebhookAnswer = { status: number; retry_after: string | undefined };

/** Posts to addresses that strangers name, and reads from them. */
export type Webhooks = {
  /** Why nothing may be sent to a URL, as far as the URL itself tells; undefined where something may. */
  refusalOf(url: string): string | undefined;
  /** Resolves to the first answer, redirects included: none is followed. Rejects with WebhookUnreached, at the latest by its deadline. */
  post(message: { url: string; headers: Record<string, string>; body: string }): Promise<WebhookAnswer>;
  /** The same of a GET, whose answer counts if it ends within the deadline and has `most` bytes at most. */
  get(message: {
    url: string;
    headers: Record<string, string>;
    most: number;
  }): Promise<{ status: number; body: Uint8Array }>;
};

/** A webhook gave no answer in time, or stands where nothing may be sent. */
export class WebhookUnreached extends Error {
  override readonly name = "WebhookUnreached";
}

/** A checkpoint that was signed. `note`: the signed note, which with a log that contradicts it is proof. */
export type KeptHead = { size: number; root: Hex; note: string };

/** What this machine remembers of the checkpoints it signed, outside of the database, which may be set back. */
export type KeptHeads = {
  /** The logs of which one was signed here. */
  origins(): Promise<string[]>;
  /** Asked before every append: as quick as a folder is listed. */
  last(origin: string): Promise<KeptHead | undefined>;
  /** Durable when it resolves; a smaller one is passed over. */
  advance(
    origin: string,
    signed: { size: number; root: Hex; note: string; signed_at: string },
  ): Promise<void>;
};

/** An EVM chain and the one key that pays for our transactions on it. Every call ends by its deadline. */
export type Chain = {
  readonly chain_id: number;
  /** The account that pays for gas. */
  readonly sender: Hex;
  heads(): Promise<Heads>;
  /** The block of this number in the chain as it stands now. */
  block(number: bigint): Promise<Block | undefined>;
  /** What calls would answer now, each failing alone; the next ones see what the earlier ones changed. */
  read(calls: readonly Call[], options?: ReadOptions): Promise<CallResult[]>;
  /** Which of the accounts have code: contracts, and wallets that delegate (EIP-7702). */
  hasCode(accounts: readonly Hex[]): Promise<boolean[]>;
  /**
   * Tries a call as a transaction of its own: by our sender, at the price that it would pay, with at most this much gas. Code of
   * strangers can tell other questions from a transaction. Rejects with GasKeyEmpty where the sender could not pay for it.
   */
  trial(call: Call, gas: bigint): Promise<Trial>;
  /** The code of an account; "0x" of one without. */
  code(account: Hex): Promise<Hex>;
  /** The price in wei that a unit of gas would cost at most if a transaction were sent now. */
  gasPrice(): Promise<bigint>;
  /** What an account has, in wei. */
  balance(account: Hex): Promise<bigint>;
  /**
   * Sends a call through the one queue, together with others waiting there, and answers once it is mined. What a
   * call that did not travel alone came to stands in the receipt's logs. Rejects with ChainUnavailable when nothing
   * was sent, with TransactionPending when the outcome is not known yet.
   */
  send(call: Call, options: SendOptions): Promise<Receipt>;
  /** How many calls wait there to be sent. */
  queued(): number;
  /** The highest nonce that a transaction of the account was signed for within a day, by whatever process; -1: none. Pools forget sooner what cannot be mined. */
  highestNonce(): Promise<number>;
  /** How many transactions of the account are mined: those of lower nonces are, or never will be. */
  minedCount(): Promise<number>;
  /** The receipt of a transaction that is in the chain as it stands now. */
  receipt(transaction: Hex): Promise<Receipt | undefined>;
  logs(query: LogQuery): Promise<Log[]>;
  /** What an account's slots hold in the newest block, with proof. Rejects with ChainUnavailable where the proof does not hold. */
  stateProof(account: Hex, slots: readonly Hex[]): Promise<StateProof>;
  /** A transaction as it was signed, in its bytes. */
  signedTransaction(transaction: Hex): Promise<Hex | undefined>;
};

/** Why a payment is carried to the chain: by that its gas comes from one budget or another. */
export type Errand = "purchase" | "carrying" | "refund" | "unasked refund" | "withdrawal";

/**
 * What is known of a payment before it is carried. `purpose`: its gas would come from the budget of this. `barred`: why the service does
 * not carry it, though the chain might take it.
 */
export type SettlementFacts = PaymentFacts & { seen_block: bigint; purpose: Purpose; barred?: string };

/** Carries signed payments to the chain: by our own gas key, or through a facilitator. */
export type Settlement = {
  /**
   * Whether a payment would go through now, asked together with others; `seen_block` is the chain's height. A payer with
   * code is asked alone. Rejects with ChainUnavailable.
   */
  facts(payment: SignedTransfer, errand?: Errand): Promise<SettlementFacts>;
  /**
   * How an authorization that is used came to its end, whoever saw to that, if it did within the last two hours; undefined
   * when the chain does not show it, or not yet. Rejects with ChainUnavailable.
   */
  ended(payment: SignedTransfer): Promise<PaymentEnd | undefined>;
  /**
   * Answers the mined transaction whose logs show that the payment moved, whoever sent it. Rejects with NotSettled, with
   * ChainUnavailable when nothing was sent, with TransactionPending when the outcome is not known yet.
   */
  settle(payment: SignedTransfer, seen_block: bigint, errand?: Errand): Promise<Receipt>;
};

/** `settled`: its money moved, to whom and as much as it says. `void`: it never will, once that is `final`. */
export type PaymentEnd =
  | { kind: "settled"; receipt: Receipt }
  | { kind: "void"; reason: string; final: boolean };

/** The chain refused a payment; nothing moved. */
export class NotSettled extends Error {
  override readonly name = "NotSettled";
}

/** The chain could not be asked, or did not answer in time. It says nothing about anybody's payment; ask again later. */
export class ChainUnavailable extends Error {
  override readonly name: string = "ChainUnavailable";
}

/** The gas key has too little ether: nothing is sent until it is given more. */
export class GasKeyEmpty extends ChainUnavailable {
  override readonly name = "GasKeyEmpty";
}

/** The day's ether for gas is spent: nothing is sent before `resets_at`. */
export class GasBudgetSpent extends ChainUnavailable {
  override readonly name = "GasBudgetSpent";
  readonly resets_at: Date;

  /** `of`: whose budget it is, in words; left out where it is the one of all purchases. */
  constructor(resets_at: Date, of?: string) {
    super(
      `the day's gas budget${of ? ` for ${of}` : ""} is spent; it is renewed at ${resets_at.toISOString()}`,
    );
    this.resets_at = resets_at;
  }
}

/**
 * A transaction was signed and may have been sent: one of `transactions`, or none, will be mined. A facilitator that was
 * asked to send one may not have named it.
 */
export class TransactionPending extends Error {
  override readonly name = "TransactionPending";
  readonly transactions: readonly Hex[];

  constructor(transactions: readonly Hex[], options?: ErrorOptions) {
    const named = transactions.join(", ") || "what the facilitator sends";
    super(`not mined in time, and may still be: ${named}`, options);
    this.transactions = transactions;
  }
}
