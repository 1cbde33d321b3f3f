import type pg from "pg";
import type { EventStore } from "../../eventstore/store.ts";
import type { Tail } from "../../eventstore/tail.ts";
import type { JsonObject, RecordedEvent, StreamHead } from "../../eventstore/types.ts";
import { foldAfresh } from "./commands/stream-folds.ts";
import { transact } from "./commands/transact.ts";
import type {
  Command,
  CommitResult,
  Decision,
  DecisionResult,
  Target,
  UnitParts,
  Work,
} from "./commands/unit.ts";
import type { Hex, Purpose, RecoverKey } from "./model/chain.ts";
import type { DomainEvent, Entity, EntityEvents, EventOf } from "./model/entity.ts";
import type { StoredAnswers } from "./model/ports/answers.ts";
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
import type { StoredHeads } from "./model/ports/signed-heads.ts";
import type { Signer } from "./model/ports/signer.ts";
import type { Subjects } from "./model/ports/subjects.ts";
import type { Webhooks } from "./model/ports/webhooks.ts";
import type { Health } from "./read-models/health.ts";
import type { Projection } from "./read-models/projection.ts";
import type { CaughtUp, Readers } from "./read-models/readers.ts";
import type { Runner } from "./read-models/runner.ts";
import { isOf, type PositionedEvent, positionedEvent } from "./read-models/typed-events.ts";

export type ChainParts = {
  chain: Chain;
  opens_chain: boolean;
  settlement: Settlement;
  recover: RecoverKey;
  pay_to: Hex;
  refunds: { address: Hex; sign(input: { hash: Hex }): Promise<Hex> };
  /** The account of the gas key, which also signs attestations off the chain. */
  attester: { address: Hex; sign(input: { hash: Hex }): Promise<Hex> };
  /** Undefined if no token is configured. Operations that need the token then refuse. */
  platform_token: Hex | undefined;
  /** The gas costs of all processes since midnight UTC. */
  gas: {
    spent_today(): Promise<bigint>;
    readonly budget_wei: bigint | undefined;
    purposes_today(): Promise<{ purpose: Purpose; spent_wei: bigint; budget_wei: bigint }[]>;
    /** The cost of one refund at the current gas price. Rejects with ChainUnavailable. */
    refund_cost_micro(): Promise<bigint>;
    /** The cost of a call with this much gas; 0 on the development chain. */
    cost_micro(gas: bigint): Promise<bigint>;
  };
  /** True on the development chain, whose money is worthless. */
  embedded_chain: boolean;
  /** False if a facilitator carries the payments: facilitators carry no deposits into channels. */
  takes_channels: boolean;
};

/** Compares the log with its signed and anchored heads. */
export type LogAcceptance = {
  /**
   * Call before a sale. Refuses while the log contradicts its signatures or cannot be compared. Appends check by
   * themselves.
   */
  check(): Promise<void>;
  /** Like `check`, but never cached. Call before a send that cannot be undone. */
  confirm(): Promise<void>;
  /** The contradiction as a sentence; null if there is no evidence of one. Rejects if the comparison fails. */
  contradiction(): Promise<string | null>;
  /** Forces a new comparison before the next acceptance. */
  suspect(): void;
};

/** src/datasets/app-data.ts adds the stores, so that core knows no dataset. */
// biome-ignore lint/suspicious/noEmptyInterface: src/datasets/app-data.ts adds its members
export interface AppData {}

export type AppParts = ChainParts &
  AppData & {
    pool: pg.Pool;
    presence: Presence;
    store: EventStore;
    tail: Tail;
    unit: UnitParts;
    runner: Runner;
    readers: Readers;
    clock: Clock;
    random: Random;
    signer: Signer;
    signed: StoredHeads;
    accepting: LogAcceptance;
    seeds: SeedVault;
    seed_uses: SeedUses;
    subjects: Subjects;
    answers: StoredAnswers;
    /** Executes compute-market tasks a second time, to check their results. */
    executor: Executor;
    objects: Objects;
    printer: Printer;
    parser: Parser;
    model: Model | undefined;
    webhooks: Webhooks;
    outside: OutsideLog | undefined;
    /** The key that signs download links; the same in every process. */
    link_secret: Uint8Array;
    health(): Promise<Health>;
    /** One sentence for each unproven claim that this log is not the original. */
    disputes(): Promise<string[]>;
    settings: Readonly<{
      public_url: string;
      /** The service's own agentId in ERC-8004's registry. */
      erc8004_agent: string | undefined;
      started_at: Date;
      allow_synthetic: boolean;
      read_wait_ms: number;
      custody: { open: boolean; account_micro: number; total_micro: number };
      seeds: { max_rolls: number; seconds: number };
      trust_seconds: number;
      /** Undefined if no checkpoints are signed. */
      anchoring:
        | {
            checkpoint_seconds: number;
            anchor_seconds: number;
            witnesses: { url: string; key: string }[];
          }
        | undefined;
    }>;
  };

/** Frozen after creation, and shared by all callers. */
export type App = Readonly<AppParts> & {
  decide<State, E extends DomainEvent>(
    entity: Entity<State, E>,
    target: Target,
    decision: Decision<State, E>,
    command: Command,
  ): Promise<CommitResult<DecisionResult<State, E>>>;
  commit<T>(work: Work<T>, command: Command): Promise<CommitResult<T>>;
  load<State, E extends DomainEvent>(entity: Entity<State, E>, target: Target): Promise<State>;
  headOf(entity: { streamOf(id: string): string }, target: Target): Promise<StreamHead | undefined>;
  /** Types the recorded events of one entity, for readers that bypass `load`. */
  eventsOf<E extends EntityEvents>(entity: E, recorded: readonly RecordedEvent[]): PositionedEvent<E>[];
  /**
   * Waits until a projection reaches a position, by default the current head; false after `wait_ms`. A list that
   * answers anyway returns `as_of_position`.
   */
  caughtUp(projection: Projection, until?: CaughtUp): Promise<boolean>;
  asOf(projection: Projection): Promise<number>;
  /** State that this process creates once for each name, such as a cache or a queue. */
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
        .map((event) =>
          positionedEvent<EventOf<(typeof entity)["events"]>>(parts.unit.schemas, entity, event),
        ),
    caughtUp: async (projection, { position, wait_ms = parts.settings.read_wait_ms } = {}) =>
      parts.runner.reached(projection, position ?? (await parts.store.head()).position, wait_ms),
    asOf: async (projection) => {
      const { position } = await parts.store.head();
      const isCurrent = await parts.runner.reached(projection, position, parts.settings.read_wait_ms);
      return isCurrent ? position : parts.runner.positionOf(projection);
    },
  });
}

export const withParts = (app: App, parts: Partial<AppParts>): App =>
  createApp({ ...app, ...parts }, app.once);

function onceEach(): App["once"] {
  const made = new Map<string, unknown>();
  return <T>(name: string, make: () => T): T => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as T;
  };
}

export const operatorMeta = (operation: string): JsonObject => ({ actor: "operator", operation });
