/** The one plain value that everything above the log works with: the log, its read models, and a few verbs. */
import type pg from "pg";
import type { EventStore } from "../../eventstore/store.ts";
import type { Tail } from "../../eventstore/tail.ts";
import type { JsonObject, RecordedEvent, StreamHead } from "../../eventstore/types.ts";
import { foldAfresh } from "./commands/stream-folds.ts";
import { transact } from "./commands/transact.ts";
import type { Command, Committed, Decided, Decision, Target, UnitParts, Work } from "./commands/unit.ts";
import type { Hex, Purpose, RecoverKey } from "./model/chain.ts";
import type { DomainEvent, Entity, EntityEvents, EventOf } from "./model/entity.ts";
import type { KeptAnswers } from "./model/ports/answers.ts";
import type { Chain } from "./model/ports/chain.ts";
import type { Clock } from "./model/ports/clock.ts";
import type { Executor } from "./model/ports/executor.ts";
import type { Model } from "./model/ports/model.ts";
import type { Objects } from "./model/ports/objects.ts";
import type { OutsideLog } from "./model/ports/outside-log.ts";
import type { Parser } from "./model/ports/parser.ts";
import type { Presence } from "./model/ports/presence.ts";
import type { Printer } from "./model/ports/printer.ts";
import type { Random } from "./model/ports/random.ts";
import type { SeedUses, SeedVault } from "./model/ports/seeds.ts";
import type { Settlement } from "./model/ports/settlement.ts";
import type { KeptHeads } from "./model/ports/signed-heads.ts";
import type { Signer } from "./model/ports/signer.ts";
import type { Subjects } from "./model/ports/subjects.ts";
import type { Webhooks } from "./model/ports/webhooks.ts";
import type { Health } from "./read-models/health.ts";
import type { Projection } from "./read-models/projection.ts";
import type { Readers } from "./read-models/readers.ts";
import type { Runner } from "./read-models/runner.ts";
import { isOf, type Placed, placed } from "./read-models/typed.ts";

/** What speaks to the chain. */
export type ChainParts = {
  chain: Chain;
  /** False in a command that opens no chain: nobody is asked, and that is no fault. */
  opens_chain: boolean;
  settlement: Settlement;
  recover: RecoverKey;
  /** Where payments go. */
  pay_to: Hex;
  /** The account that refunds are paid from. */
  refunds: { address: Hex; sign(input: { hash: Hex }): Promise<Hex> };
  /** The account that pays for gas, where it signs something by itself. */
  attester: { address: Hex; sign(input: { hash: Hex }): Promise<Hex> };
  /** The platform token's contract; undefined where there is none, and then what needs it is refused. */
  platform_token: Hex | undefined;
  /** What transactions have cost since midnight UTC by all processes, and what they may cost in a day. */
  gas: {
    spent_today(): Promise<bigint>;
    readonly budget_wei: bigint | undefined;
    /** The purposes that have a budget of their own. */
    purposes_today(): Promise<{ purpose: Purpose; spent_wei: bigint; budget_wei: bigint }[]>;
    /** The cost of a refund at the price of gas now, in micro-USDC. Rejects with ChainUnavailable. */
    refund_cost_micro(): Promise<bigint>;
  };
  /** True on the chain that the service runs itself, whose money is worth nothing. */
  embedded_chain: boolean;
};

/** Whether the log is the one that was signed and anchored. */
export type Accepting = {
  /** Call before something is sold; refuses while the log contradicts what was signed of it, or that cannot be looked at. Appends check by themselves. */
  check(): Promise<void>;
  /** The same as of this moment, for what is sent and cannot be taken back. */
  confirm(): Promise<void>;
  /** Why the log is not the one that was signed or anchored, as a sentence; null where nothing shows that. Rejects where it cannot be looked at. */
  contradiction(): Promise<string | null>;
  /** Asks for a new look before anything else is accepted: somebody has shown another history. */
  suspect(): void;
};

/** Stores of data outside the log. src/datasets/app-data.ts names them, so that core knows no dataset. */
// biome-ignore lint/suspicious/noEmptyInterface: src/datasets/app-data.ts adds its members
export interface AppData {}

export type AppParts = ChainParts &
  AppData & {
    pool: pg.Pool;
    /** This process among those that share the log. */
    presence: Presence;
    store: EventStore;
    tail: Tail;
    unit: UnitParts;
    runner: Runner;
    /** Copies of the database that may be read instead. */
    readers: Readers;
    clock: Clock;
    random: Random;
    signer: Signer;
    /** The checkpoints that this machine signed last. */
    signed: KeptHeads;
    accepting: Accepting;
    seeds: SeedVault;
    /** How often each of them was drawn from. */
    seed_uses: SeedUses;
    /** The vault of keys that personal data is sealed under. */
    subjects: Subjects;
    answers: KeptAnswers;
    /** Runs tasks of the compute market again, to check them. */
    executor: Executor;
    /** Bytes that are not events. */
    objects: Objects;
    printer: Printer;
    parser: Parser;
    /** Sums up reports; undefined where none is set. */
    model: Model | undefined;
    webhooks: Webhooks;
    /** The log's copy in another store; undefined where none is kept. */
    outside: OutsideLog | undefined;
    /** Signs links to downloads: the same in every process of the service. */
    link_secret: Uint8Array;
    /** How every projection and reactor stands, in whatever process it runs. */
    health(): Promise<Health>;
    /** Why others say that the log is not theirs, without proof; a sentence each. */
    disputes(): Promise<string[]>;
    settings: Readonly<{
      public_url: string;
      started_at: Date;
      allow_synthetic: boolean;
      /** How long `caughtUp` and `asOf` wait where nothing else is said. */
      read_wait_ms: number;
      /** Whether money is kept for others, and how much of it in micro-USDC: of one account, and of all together. */
      custody: { open: boolean; account_micro: number; total_micro: number };
      /** How long a seed of random numbers is used. */
      seeds: { max_rolls: number; seconds: number };
      /** How long scores stand before they are computed again, at least, while their evidence moves. */
      trust_seconds: number;
      /** How long an event waits for its checkpoint, and a checkpoint for its anchor; undefined: none are signed. */
      anchoring:
        | {
            checkpoint_seconds: number;
            anchor_seconds: number;
            /** Who cosigns: the submission prefix and the verifier key of each. */
            witnesses: { url: string; key: string }[];
          }
        | undefined;
    }>;
  };

/** Parts and verbs, put together once: nothing of it changes afterwards, and everybody has the same one. */
export type App = Readonly<AppParts> & {
  /** Decides on one entity and appends what follows, at once and by itself. */
  decide<State, E extends DomainEvent>(
    entity: Entity<State, E>,
    target: Target,
    decision: Decision<State, E>,
    command: Command,
  ): Promise<Committed<Decided<State, E>>>;
  /** Runs work that decides on several entities, and appends what follows in one commit. */
  commit<T>(work: Work<T>, command: Command): Promise<Committed<T>>;
  /** An entity as the log has it now. */
  load<State, E extends DomainEvent>(entity: Entity<State, E>, target: Target): Promise<State>;
  /** Where an entity's stream ends, without folding it; undefined where it has none. */
  headOf(entity: { streamOf(id: string): string }, target: Target): Promise<StreamHead | undefined>;
  /** Those of recorded events that are an entity's, as it declares them: whoever reads the log past `load` reads it by this. */
  eventsOf<E extends EntityEvents>(entity: E, recorded: readonly RecordedEvent[]): Placed<E>[];
  /**
   * Waits, `settings.read_wait_ms` at most where nothing else is said, until a projection has reached the head as it stands now; false when it has not.
   * A list that answers all the same says `as_of_position`.
   */
  caughtUp(projection: Projection, wait_ms?: number): Promise<boolean>;
  /** Waits as `caughtUp` does, and tells the position that the projection has reached, at least. */
  asOf(projection: Projection): Promise<number>;
  /** State that this process makes once for the app, at the first use of its name: a cache, a line of waiters. */
  once<T>(name: string, make: () => T): T;
};

export function createApp(parts: AppParts, once = onceEach()): App {
  return Object.freeze({
    ...parts,
    settings: Object.freeze({ ...parts.settings }),
    once,
    decide: (entity, target, decision, command) =>
      transact(parts.unit, command, ({ decide }) => decide(entity, target, decision)),
    commit: (work, command) => transact(parts.unit, command, work),
    load: async (entity, target) => (await foldAfresh(parts.unit, entity, target)).state,
    headOf: (entity, { tenant, id }) => parts.store.streamHead({ tenant, stream_id: entity.streamOf(id) }),
    eventsOf: (entity, recorded) =>
      recorded
        .filter((event) => isOf(entity, event))
        .map((event) => placed<EventOf<(typeof entity)["events"]>>(parts.unit.schemas, entity, event)),
    caughtUp: async (projection, wait_ms = parts.settings.read_wait_ms) => {
      const { position } = await parts.store.head();
      return parts.runner.reached(projection, position, wait_ms);
    },
    asOf: async (projection) => {
      const { position } = await parts.store.head();
      const isCurrent = await parts.runner.reached(projection, position, parts.settings.read_wait_ms);
      return isCurrent ? position : parts.runner.positionOf(projection);
    },
  });
}

/** Another app with some parts replaced, as for a turn that may send only while its lease holds. `once` is shared. */
export const withParts = (app: App, parts: Partial<AppParts>): App =>
  createApp({ ...app, ...parts }, app.once);

function onceEach(): App["once"] {
  const made = new Map<string, unknown>();
  return <T>(name: string, make: () => T): T => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as T;
  };
}

/** Who acts when the operator types a command. */
export const operatorMeta = (operation: string): JsonObject => ({ actor: "operator", operation });
