/** What the checks of evidence know: what the auditor holds, what the pack said, and what was computed from its events. */
import type { EventRow } from "../../eventstore/verify/event-row.ts";
import type { LogState } from "../../eventstore/verify/log-state.ts";
import { type Checkpoint, parseCheckpoint } from "../anchoring/checkpoint.ts";
import type { AnchorEvidence, EvidenceOf } from "../anchoring/evidence.ts";
import { MalformedNote, parseNote, type VerifierKey } from "../anchoring/note.ts";
import { consistencyFault } from "../anchoring/proofs.ts";
import { Frontier } from "../anchoring/tree.ts";
import type { Hex, RecoverKey } from "../core/model/chain.ts";
import { logIdOf } from "../domain/anchoring/contract.ts";
import { provenHead } from "./anchor.ts";
import { AnchorTimes } from "./anchor-times.ts";
import type { ChainView } from "./chain-view.ts";
import { commonLeaves } from "./common-leaves.ts";
import type { Fault } from "./fault.ts";
import { type BlockTimes, type NamedBlocks, timeOf } from "./named-blocks.ts";

/** A checkpoint that the auditor kept; `name` says which, such as its file. */
export type HeldCheckpoint = { name: string; note: string };

/** An event that a receipt names; `issued_at` is the second in which the receipt says that it was recorded. */
export type HeldEvent = {
  name: string;
  origin: string;
  position: number;
  event_hash: string;
  issued_at?: number;
};

/** What the auditor knows without the pack. What is named must be met. */
export type Held = {
  /** The log's key; the pack's own is believed when left out. */
  key?: VerifierKey | undefined;
  /** Who has to have cosigned a checkpoint. */
  witnesses?: readonly VerifierKey[];
  checkpoints?: readonly HeldCheckpoint[];
  /** Tree heads that need no signature, such as what this machine signed itself; `name` says whose. */
  treeHeads?: readonly (SizeAndRoot & { name: string })[];
  events?: readonly HeldEvent[];
  network?: string | undefined;
  contract?: Hex | undefined;
  signer?: Hex | undefined;
  /** What the chain says, or why it says nothing. */
  chain?: ChainView | string | undefined;
  /** The blocks that events name, and what the chain says of their times: asked once, after the events. */
  blocks?: { named: NamedBlocks; times: BlockTimes } | undefined;
  /** What is wrong with the tiles that proofs are made of, where they are at hand. */
  tiles?: Fault | undefined;
  /** What witnesses that were asked have cosigned of this log, and it has not: a sentence each. */
  denials?: readonly string[];
  recover: RecoverKey;
};

/** That the first `size` events have this root, as somebody said. */
export type TreeHead = {
  size: number;
  root: Buffer;
  from: "checkpoint" | "anchor" | "held" | "chain";
  name: string;
  /** Of the chain: when it took this head, in seconds of Unix time. */
  timestamp?: number;
};

export type SizeAndRoot = Pick<TreeHead, "size" | "root">;

/** A consistency line that does not hold, and why. */
export type BrokenLink = { line: EvidenceOf<"consistency">; fault: string };

/** A note and its checkpoint; `fault` says why it holds none of this log. */
export type ReadNote = { note: string; checkpoint?: Checkpoint; fault?: string };

/** An anchor may be mined while an export is made that knows nothing of it yet, and clocks differ. */
const GRACE_MS = 120_000;

export class EvidenceState {
  readonly log: LogState;
  readonly held: Held;
  /** The auditor's key, else the one that the pack names. */
  key: VerifierKey | undefined;
  /** Why the key that the pack names is none. */
  keyFault: string | undefined;
  /** Undefined where the leaves before the first event are not known. */
  frontier: Frontier | undefined;
  readonly heads: TreeHead[] = [];
  /** Two heads of one size that differ. */
  readonly forks: [TreeHead, TreeHead][] = [];
  readonly checkpoints: ReadNote[] = [];
  readonly anchors: AnchorEvidence[] = [];
  readonly consistencies: EvidenceOf<"consistency">[] = [];
  /** Without a fault: what is signed, what is anchored, and what the auditor has signed in hand. */
  readonly signed: SizeAndRoot[] = [];
  readonly anchored: (SizeAndRoot & { line: AnchorEvidence })[] = [];
  readonly heldSigned: SizeAndRoot[] = [];
  /** Cosignatures that hold, by the witness's key name, with their times in seconds. */
  readonly cosigned = new Map<string, number>();
  /** Roots that were computed, by size. */
  readonly roots = new Map<number, Buffer>();
  /** Of one stream: each event shown in a tree, in order. */
  readonly inclusions: { version: number; position: number; size: number }[] = [];
  /** What is wrong with the events that receipts name. */
  readonly missing: Fault[] = [];
  /** The first event that is dated after the block of its anchor, and one that is dated before a block it names. */
  late: Fault | undefined;
  early: Fault | undefined;
  #times: AnchorTimes | undefined;
  /** Not yet met, by position, in a stream by event_hash. */
  readonly #receipts = new Map<number | string, HeldEvent[]>();
  readonly #first = new Map<number, TreeHead>();
  readonly #wanted = new Set<number>();
  #broken: BrokenLink[] | undefined;
  #base: number | undefined;
  #common: ReadonlyMap<number, number> | undefined;

  constructor(log: LogState, held: Held) {
    this.log = log;
    this.held = held;
    this.key = held.key;
    for (const event of held.events ?? []) {
      const place = log.source === "stream" ? event.event_hash : event.position;
      this.#receipts.set(place, [...(this.#receipts.get(place) ?? []), event]);
    }
    for (const { name, origin } of held.events ?? [])
      if (origin !== log.header.origin)
        this.missing.push({ reason: `${name} is of the log ${origin}`, place: log.first });
    if (log.source !== "stream" && log.fromTheStart) this.frontier = new Frontier();
    for (const { name, note } of held.checkpoints ?? []) {
      const { checkpoint } = readNote(note, log.header.origin);
      if (checkpoint) this.head({ ...checkpoint, from: "held", name });
    }
    for (const head of held.treeHeads ?? []) {
      this.head({ ...head, from: "held" });
      this.heldSigned.push(head);
    }
    const { chain } = held;
    for (const { size, root, timestamp } of typeof chain === "object" ? chain.heads : [])
      this.head({
        ...{ size: Number(size), root: Buffer.from(root.slice(2), "hex") },
        ...{ from: "chain", name: "the chain", timestamp },
      });
    this.#compute();
  }

  /** Notes a tree head; its root is computed when the events come to its size. */
  head(head: TreeHead): void {
    this.heads.push(head);
    this.want(head.size);
    const known = this.#first.get(head.size);
    // What the pack says is held against what its lines show; what the auditor knows is held against the pack.
    if (!known || (isOwn(head) && !isOwn(known))) this.#first.set(head.size, head);
    if (known && !known.root.equals(head.root)) this.forks.push([known, head]);
  }

  want(size: number): void {
    this.#wanted.add(size);
  }

  /** Begins with the leaves that an export leaves out. */
  startFrom(frontier: Frontier): void {
    this.frontier = frontier;
    this.#compute();
  }

  event(row: EventRow): void {
    const { position, event_hash, recorded_at_us } = row;
    // Of an export only the lines have the payload.
    if (this.log.source === "database")
      this.held.blocks?.named.take(row.payload.text(), recorded_at_us, this.log.place + 1);
    if (this.log.source !== "stream") this.date(position, recorded_at_us);
    if (this.frontier) {
      this.frontier.appendEvent(event_hash);
      if (this.#wanted.has(this.frontier.size)) this.#compute();
    }
    if (this.#receipts.size > 0) this.#meet(row, event_hash.toString("hex"));
  }

  /** Holds the date of the event at hand against the anchors that its position lies below. */
  date(position: number, recorded_at_us: number): void {
    if (typeof this.held.chain !== "object" || this.late) return;
    this.#times ??= this.#anchorTimes();
    const missed = this.#times.missedBy(position, recorded_at_us);
    if (!missed) return;
    const dated = timeOf(recorded_at_us / 1_000_000);
    this.late = {
      place: this.log.source === "stream" ? this.log.place : this.log.place + 1,
      reason: `the event is dated ${dated}, after the block of ${timeOf(missed.at)} that anchors ${missed.size} events`,
    };
  }

  /** An anchor's time is the one that the contract noted, which its own block cannot be before. */
  #anchorTimes(): AnchorTimes {
    const logged = this.anchored.flatMap(({ size, line }) => {
      const head = provenHead(line, logIdOf(this.log.header.origin));
      return typeof head === "object" ? { size, at: head.timestamp } : [];
    });
    const kept = this.heads.flatMap(({ from, size, timestamp: at }) =>
      from === "chain" && at !== undefined ? { size, at } : [],
    );
    return new AnchorTimes([...logged, ...kept]);
  }

  /** Asks the chain when the blocks were made that events name. Call once, after the last event. */
  async settle(): Promise<void> {
    const { blocks } = this.held;
    if (!blocks) return;
    this.early = await blocks.named.early(blocks.times).catch(({ message }: Error) => ({
      place: this.log.place,
      reason: `the RPC endpoint does not say when blocks were made that events name: ${message}`,
    }));
  }

  #meet({ position, recorded_at_us }: EventRow, event_hash: string): void {
    const place = this.log.source === "stream" ? event_hash : position;
    const recorded_at = Math.floor(recorded_at_us / 1_000_000);
    for (const { name, ...receipt } of this.#receipts.get(place) ?? []) {
      const { issued_at = recorded_at } = receipt;
      const reason =
        receipt.event_hash !== event_hash
          ? `${name} names another event at this position`
          : issued_at !== recorded_at
            ? `${name} is issued at ${timeOf(issued_at)}, and its event is of ${timeOf(recorded_at)}`
            : undefined;
      if (reason) this.missing.push({ reason, place: this.log.place + 1 });
    }
    this.#receipts.delete(place);
  }

  /** Call once, after the last event. */
  finish(): void {
    this.#compute();
    const { source, place: last } = this.log;
    const [unmet] = [...this.#receipts.values()].flat().sort((a, b) => a.position - b.position);
    if (!unmet) return;
    const which = `${unmet.name} names the event at position ${unmet.position}`;
    const isBeyond = source !== "stream" && unmet.position > last;
    this.missing.push({
      reason: isBeyond ? `${which}: the end was cut` : `${which}, which is not here`,
      place: source === "stream" ? last + 1 : Math.min(Math.max(unmet.position, this.log.first), last + 1),
    });
  }

  #compute(): void {
    if (this.frontier) this.roots.set(this.frontier.size, this.frontier.root());
  }

  /** The root of a size: computed, else as the first head of the pack says, else as the auditor knows it. */
  rootOf(size: number): Buffer | undefined {
    return this.roots.get(size) ?? this.#first.get(size)?.root;
  }

  #faultOf({ first, second, proof }: EvidenceOf<"consistency">): string | undefined {
    const first_root = this.rootOf(first);
    const second_root = this.rootOf(second);
    if (!first_root || !second_root) return `nothing here has ${first_root ? second : first} events`;
    const bytes = proof.map((hash) => Buffer.from(hash, "hex"));
    return consistencyFault({ first, second, first_root, second_root, proof: bytes });
  }

  /** Consistency lines that do not hold. From here on ask only after the last event. */
  get broken(): readonly BrokenLink[] {
    this.#broken ??= this.consistencies.flatMap((line) => {
      const fault = this.#faultOf(line);
      return fault === undefined ? [] : [{ line, fault }];
    });
    return this.#broken;
  }

  /** Events of the tree that all others are held against: the one computed last; in a stream the largest in the pack. */
  get base(): number | undefined {
    if (this.log.source !== "stream") return this.frontier?.size;
    if (this.#base === undefined) {
      const own = this.heads.filter(isOwn);
      this.#base = largestOf(own.length > 0 ? own : this.heads);
    }
    return this.#base;
  }

  /** False of a head that has another root than the events, or the head of its size that was read first. */
  isAgreed({ size, root }: SizeAndRoot): boolean {
    return this.rootOf(size)!.equals(root);
  }

  /** With how many leaves a tree head is shown to begin as the base does; as many as it has, or all of the base's, join it. */
  commonWith(head: SizeAndRoot): number | undefined {
    this.#common ??= this.#joints();
    return this.isAgreed(head) ? this.#common.get(head.size) : undefined;
  }

  #joints(): ReadonlyMap<number, number> {
    const { base } = this;
    if (base === undefined) return new Map();
    const broken = new Set(this.broken.map(({ line }) => line));
    const holding = this.consistencies.filter((line) => !broken.has(line));
    const computed = [...this.roots.keys()].map((first) => ({ first, second: base }));
    return commonLeaves(base, [...computed, ...holding]);
  }

  isJoined(head: SizeAndRoot): boolean {
    const common = this.commonWith(head);
    return common !== undefined && common >= Math.min(head.size, this.base!);
  }

  /** Heads that the chain took after the export was made: they may well be of more events. */
  get outrunBy(): readonly TreeHead[] {
    const exported_at = Date.parse(this.log.header.exported_at) - GRACE_MS;
    return this.heads.filter(
      (head) => head.timestamp !== undefined && head.timestamp * 1_000 >= exported_at && !this.isJoined(head),
    );
  }

  /** Events of the largest tree head. */
  get largest(): number {
    return largestOf(this.heads) ?? 0;
  }

  /** Up to which place of those here these tree heads prove the events: in a stream, the last version that lies within one. */
  reachOf(heads: readonly SizeAndRoot[]): number {
    const leaves = heads.reduce((most, head) => Math.max(most, this.commonWith(head) ?? 0), 0);
    if (this.log.source !== "stream") return Math.min(leaves, this.log.place);
    const isProven = ({ position, size }: { position: number; size: number }) =>
      position <= Math.min(leaves, this.#common?.get(size) ?? 0);
    return this.inclusions.findLast(isProven)?.version ?? 0;
  }
}

const isOwn = ({ from }: TreeHead): boolean => from === "checkpoint" || from === "anchor";

const largestOf = (heads: readonly SizeAndRoot[]): number | undefined =>
  heads.reduce<number | undefined>((most, { size }) => Math.max(most ?? 0, size), undefined);

/** The checkpoint of the log with this origin that a note holds. */
export function readNote(note: string, origin: string): ReadNote {
  try {
    const checkpoint = parseCheckpoint(parseNote(note).text);
    if (checkpoint.origin !== origin) return { note, fault: `it is of ${JSON.stringify(checkpoint.origin)}` };
    return checkpoint.extensions.length === 0
      ? { note, checkpoint }
      : { note, fault: "it has more lines than origin, size and root" };
  } catch (error) {
    if (error instanceof MalformedNote) return { note, fault: error.message };
    throw error;
  }
}
