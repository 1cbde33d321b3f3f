/** What the checks of evidence know: what the auditor holds, what the pack said, and what was computed from its events. */
import type { EventRow } from "../../eventstore/verify/event-row.ts";
import type { LogState } from "../../eventstore/verify/log-state.ts";
import { type Checkpoint, parseCheckpoint } from "../anchoring/checkpoint.ts";
import type { AnchorEvidence, EvidenceOf } from "../anchoring/evidence.ts";
import { MalformedNote, parseNote, type VerifierKey } from "../anchoring/note.ts";
import { consistencyFault } from "../anchoring/proofs.ts";
import { Frontier, leafHash } from "../anchoring/tree.ts";
import type { Hex, RecoverKey } from "../domain/ports.ts";
import type { ChainView } from "./chain-view.ts";

/** A checkpoint that the auditor kept; `name` says which, such as its file. */
export type HeldCheckpoint = { name: string; note: string };

/** An event that a receipt names. */
export type HeldEvent = { name: string; origin: string; position: number; event_hash: string };

/** What the auditor knows without the pack. What is named must be met. */
export type Held = {
  /** The log's key; the pack's own is believed when left out. */
  key?: VerifierKey | undefined;
  /** Who has to have cosigned a checkpoint. */
  witnesses?: readonly VerifierKey[];
  checkpoints?: readonly HeldCheckpoint[];
  events?: readonly HeldEvent[];
  network?: string | undefined;
  contract?: Hex | undefined;
  signer?: Hex | undefined;
  /** What the chain says, or why it says nothing. */
  chain?: ChainView | string | undefined;
  /** What is wrong with the tiles that proofs are made of, where they are at hand. */
  tiles?: Fault | undefined;
  recover: RecoverKey;
};

/** That the first `size` events have this root, as somebody said. */
export type TreeHead = {
  size: number;
  root: Buffer;
  from: "checkpoint" | "anchor" | "held" | "chain";
  name: string;
};

/** What is wrong and where: the number of events that a tree head is of, or the place of an event; `good`: what holds up to where. */
export type Fault = { reason: string; place: number; good?: number };

/** A checkpoint as far as its note can be read; `fault` says why it cannot. */
export type ReadNote = { note: string; checkpoint?: Checkpoint; fault?: string };

export class EvidenceState {
  readonly log: LogState;
  readonly held: Held;
  /** The auditor's key, else the one that the pack names. */
  key: VerifierKey | undefined;
  keyLines = 0;
  /** Undefined where the leaves before the first event are not known. */
  frontier: Frontier | undefined;
  readonly heads: TreeHead[] = [];
  readonly checkpoints: ReadNote[] = [];
  readonly anchors: AnchorEvidence[] = [];
  readonly consistencies: EvidenceOf<"consistency">[] = [];
  /** Lines without a fault: what is signed and what is anchored. */
  readonly signed: Checkpoint[] = [];
  readonly anchored: AnchorEvidence[] = [];
  /** Cosignatures that hold, by the witness's key name, with their times in seconds. */
  readonly cosigned = new Map<string, number>();
  /** Roots that were computed, by size. */
  readonly roots = new Map<number, Buffer>();
  /** Of one stream: each event shown in a tree, in order. */
  readonly inclusions: { version: number; position: number }[] = [];
  /** What is wrong with the events that receipts name. */
  readonly missing: Fault[] = [];
  /** Those that no event has met yet. */
  readonly #receipts: Set<HeldEvent>;
  #wanted = new Set<number>();
  #joined: ReadonlySet<number> | undefined;

  constructor(log: LogState, held: Held) {
    this.log = log;
    this.held = held;
    this.key = held.key;
    this.#receipts = new Set(held.events);
    for (const { name, origin } of held.events ?? [])
      if (origin !== log.header.origin)
        this.missing.push({ reason: `${name} is of the log ${origin}`, place: log.position + 1 });
    if (log.source !== "stream" && log.fromTheStart) this.frontier = new Frontier();
    for (const { name, note } of held.checkpoints ?? []) {
      const { checkpoint } = readNote(note);
      if (checkpoint) this.head({ ...checkpoint, from: "held", name });
    }
    const { chain } = held;
    if (typeof chain === "object" && chain.head) {
      const root = Buffer.from(chain.head.root.slice(2), "hex");
      this.head({ size: Number(chain.head.size), root, from: "chain", name: "the chain" });
    }
    this.#compute();
  }

  /** Notes a tree head; its root is computed when the events come to its size. */
  head(head: TreeHead): void {
    this.heads.push(head);
    this.want(head.size);
  }

  want(size: number): void {
    this.#wanted.add(size);
  }

  /** Begins with the leaves that an export leaves out. */
  startFrom(frontier: Frontier): void {
    this.frontier = frontier;
    this.#compute();
  }

  event({ position, event_hash }: Pick<EventRow, "position" | "event_hash">): void {
    if (this.frontier) {
      this.frontier.append(leafHash(event_hash));
      if (this.#wanted.has(this.frontier.size)) this.#compute();
    }
    for (const receipt of this.#receipts) this.#meet(receipt, position, event_hash.toString("hex"));
  }

  /** Events of a stream do not say where in the log they stand: there the hash alone names one. */
  #meet(receipt: HeldEvent, position: number, event_hash: string): void {
    const isSame = event_hash === receipt.event_hash;
    const isMet = this.log.source === "stream" ? isSame : position === receipt.position;
    if (!isMet) return;
    this.#receipts.delete(receipt);
    if (!isSame)
      this.missing.push({ reason: `${receipt.name} names another event at this position`, place: position });
  }

  /** Call once, after the last event. */
  finish(): void {
    this.#compute();
    const { position: last, source } = this.log;
    for (const { name, position } of this.#receipts) {
      const what = `${name} names an event at position ${position}`;
      if (source === "stream")
        this.missing.push({ reason: `${what}, which is none of this stream`, place: last + 1 });
      else if (position > last) this.missing.push({ reason: `${what}: the end was cut`, place: last + 1 });
      else this.missing.push({ reason: `${what}, which this export leaves out`, place: position });
    }
  }

  #compute(): void {
    if (this.frontier) this.roots.set(this.frontier.size, this.frontier.root());
  }

  /** The root of a size: computed, else as a head says. */
  rootOf(size: number): Buffer | undefined {
    return this.roots.get(size) ?? this.heads.find((head) => head.size === size)?.root;
  }

  /** What is wrong with a consistency line; undefined: it holds. */
  faultOf({ first, second, proof }: EvidenceOf<"consistency">): string | undefined {
    const first_root = this.rootOf(first);
    const second_root = this.rootOf(second);
    if (!first_root || !second_root) return `nothing here has ${first_root ? second : first} events`;
    const bytes = proof.map((hash) => Buffer.from(hash, "hex"));
    return consistencyFault({ first, second, first_root, second_root, proof: bytes });
  }

  /** Sizes whose roots follow from the events, or in a stream agree with the largest of them. */
  get joined(): ReadonlySet<number> {
    this.#joined ??= this.#join();
    return this.#joined;
  }

  #join(): ReadonlySet<number> {
    const joined = new Set(this.roots.keys());
    if (joined.size === 0 && this.heads.length > 0) joined.add(this.largest);
    const holding = this.consistencies.filter((line) => this.faultOf(line) === undefined);
    for (let before = -1; before !== joined.size; ) {
      before = joined.size;
      for (const { first, second } of holding)
        if (joined.has(first) || joined.has(second)) joined.add(first).add(second);
    }
    return joined;
  }

  /** True when the chain keeps a head that is younger than the export: then it may well be of more events. */
  get isOutrun(): boolean {
    const { chain } = this.held;
    if (typeof chain !== "object" || !chain.head || this.joined.has(Number(chain.head.size))) return false;
    return chain.head.timestamp * 1_000 >= Date.parse(this.log.header.exported_at);
  }

  /** Events of the largest tree head. */
  get largest(): number {
    return Math.max(0, ...this.heads.map(({ size }) => size));
  }

  /** Up to which place a tree of so many events proves those here: in a stream, the last version that lies within it. */
  placeOf(size: number): number {
    if (!this.joined.has(size)) return 0;
    if (this.log.source !== "stream") return Math.min(size, this.log.position);
    return this.inclusions.findLast(({ position }) => position <= size)?.version ?? 0;
  }
}

export function readNote(note: string): ReadNote {
  try {
    return { note, checkpoint: parseCheckpoint(parseNote(note).text) };
  } catch (error) {
    if (error instanceof MalformedNote) return { note, fault: error.message };
    throw error;
  }
}
