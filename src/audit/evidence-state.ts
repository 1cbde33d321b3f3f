/** The checks' inputs: the auditor's own knowledge, the pack's claims, and the values computed from its events. */
import type { EventRow } from "../../eventstore/verify/event-row.ts";
import type { LogState } from "../../eventstore/verify/log-state.ts";
import { type Checkpoint, parseCheckpoint, type Trust } from "../anchoring/checkpoint.ts";
import type { AnchorEvidence, EvidenceOf } from "../anchoring/evidence.ts";
import { MalformedNote, parseNote, type VerifierKey } from "../anchoring/note.ts";
import type { Policy } from "../anchoring/policy.ts";
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

/** An auditor's own checkpoint; `name` identifies it, for example by its file. */
export type AuditorCheckpoint = { name: string; note: string };

/** A checkpoint of another auditor. `proof` leads from the smaller tree to the larger one, as GET /log/consistency answers. */
export type PeerCheckpoint = {
  name: string;
  note: string;
  proof?: { first: number; second: number; hashes: readonly Buffer[] } | undefined;
};

/** An event named by a receipt; `issued_at` is the receipt's recording time, in seconds. */
export type ReceiptedEvent = {
  name: string;
  origin: string;
  position: number;
  event_hash: string;
  issued_at?: number;
};

/** The auditor's knowledge without the pack. Everything named must match. */
export type AuditorKnowledge = {
  /** The log's key. Default: the pack's own. */
  key?: VerifierKey | undefined;
  /** The witnesses that must have cosigned a checkpoint. */
  witnesses?: readonly VerifierKey[];
  /** The logs and witnesses that count, and the quorum that a checkpoint must meet. */
  policy?: Policy | undefined;
  checkpoints?: readonly AuditorCheckpoint[];
  /** Checkpoints that other auditors fetched. */
  peers?: readonly PeerCheckpoint[];
  /** Trusted unsigned tree heads, such as those this machine signed; `name` states the source. */
  treeHeads?: readonly (SizeAndRoot & { name: string })[];
  events?: readonly ReceiptedEvent[];
  network?: string | undefined;
  contract?: Hex | undefined;
  signer?: Hex | undefined;
  /** The chain's answer, or why there is none. */
  chain?: ChainView | string | undefined;
  /** The blocks that events name, and their times on the chain: requested once, after the events. */
  blocks?: { named: NamedBlocks; times: BlockTimes } | undefined;
  /** The fault of the tiles from which proofs are made, if available. */
  tiles?: Fault | undefined;
  /** Names of witnesses that showed their cosignature of this log themselves. */
  witnessed?: readonly string[];
  /** A sentence for each cosigned history that is not this log's. */
  denials?: readonly string[];
  recover: RecoverKey;
};

/** A claim that the first `size` events have this root. */
export type TreeHead = {
  size: number;
  root: Buffer;
  from: "checkpoint" | "anchor" | "held" | "chain";
  name: string;
  /** From the chain: when it took this head, in Unix seconds. */
  timestamp?: number;
};

export type SizeAndRoot = Pick<TreeHead, "size" | "root">;

/** An invalid consistency line, and why. */
export type BrokenLink = { line: EvidenceOf<"consistency">; fault: string };

/** A note and its checkpoint; `fault` says why it contains none of this log. */
export type ReadNote = { note: string; checkpoint?: Checkpoint; fault?: string };

/** An anchor may be mined during an export, and clocks differ. */
const GRACE_MS = 120_000;

export class EvidenceState {
  readonly log: LogState;
  readonly held: AuditorKnowledge;
  /** The auditor's key, otherwise the one that the pack names. */
  key: VerifierKey | undefined;
  /** Why the pack's key is invalid. */
  keyFault: string | undefined;
  /** Undefined if the leaves before the first event are unknown. */
  frontier: Frontier | undefined;
  readonly heads: TreeHead[] = [];
  /** Two differing heads of one size. */
  readonly forks: [TreeHead, TreeHead][] = [];
  readonly checkpoints: ReadNote[] = [];
  readonly anchors: AnchorEvidence[] = [];
  readonly consistencies: EvidenceOf<"consistency">[] = [];
  /** Valid heads: signed ones, anchored ones, and signed ones of the auditor. */
  readonly signed: SizeAndRoot[] = [];
  readonly anchored: (SizeAndRoot & { line: AnchorEvidence })[] = [];
  readonly heldSigned: SizeAndRoot[] = [];
  /** The notes of `signed`, with their checkpoints. */
  readonly signedNotes: { note: string; checkpoint: Checkpoint }[] = [];
  /** Valid cosignatures by the witness's key name, with their times in seconds. */
  readonly cosigned = new Map<string, number>();
  /** The largest checkpoint that meets the policy's quorum, and why the last judged one does not. */
  quorum: { size: number; witnessed_by: readonly string[] } | undefined;
  quorumFault: string | undefined;
  /** Computed roots by size. */
  readonly roots = new Map<number, Buffer>();
  /** For an export of one stream: each event proven in a tree, in order. */
  readonly inclusions: { version: number; position: number; size: number }[] = [];
  /** Faults of the events that receipts name. */
  readonly missing: Fault[] = [];
  /** The first event dated after its anchor's block, and one dated before a block that it names. */
  late: Fault | undefined;
  early: Fault | undefined;
  #times: AnchorTimes | undefined;
  /** Unmatched receipts by position, or in a stream by event_hash. */
  readonly #receipts = new Map<number | string, ReceiptedEvent[]>();
  readonly #first = new Map<number, TreeHead>();
  readonly #wanted = new Set<number>();
  #broken: BrokenLink[] | undefined;
  #base: number | undefined;
  #common: ReadonlyMap<number, number> | undefined;

  constructor(log: LogState, held: AuditorKnowledge) {
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
    for (const { note } of held.peers ?? []) {
      const { checkpoint } = readNote(note, log.header.origin);
      if (checkpoint) this.want(checkpoint.size);
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

  /** The keys that sign this log's checkpoints, and the witnesses that count. */
  get trust(): { log: readonly VerifierKey[]; witnesses: readonly VerifierKey[] } & Trust {
    const { policy, witnesses = [] } = this.held;
    const { origin } = this.log.header;
    const listed = policy?.logs.map(({ key }) => key).filter(({ name }) => name === origin) ?? [];
    const log = policy && policy.logs.length > 0 ? listed : this.key ? [this.key] : [];
    return { log, witnesses: policy ? policy.witnesses.map(({ key }) => key) : witnesses };
  }

  /** Registers a tree head; its root is computed when the events reach its size. */
  head(head: TreeHead): void {
    this.heads.push(head);
    this.want(head.size);
    const known = this.#first.get(head.size);
    // The pack's claims are checked against its lines; the auditor's heads against the pack.
    if (!known || (isOwn(head) && !isOwn(known))) this.#first.set(head.size, head);
    if (known && !known.root.equals(head.root)) this.forks.push([known, head]);
  }

  want(size: number): void {
    this.#wanted.add(size);
  }

  /** Starts with the leaves that an export omits. */
  startFrom(frontier: Frontier): void {
    this.frontier = frontier;
    this.#compute();
  }

  event(row: EventRow): void {
    const { position, event_hash, recorded_at_us } = row;
    // Only the lines of an export have the payload.
    if (this.log.source === "database")
      this.held.blocks?.named.take(row.payload.text(), recorded_at_us, this.log.place + 1);
    if (this.log.source !== "stream") this.date(position, recorded_at_us);
    if (this.frontier) {
      this.frontier.appendEvent(event_hash);
      if (this.#wanted.has(this.frontier.size)) this.#compute();
    }
    if (this.#receipts.size > 0) this.#meet(row, event_hash.toString("hex"));
  }

  /** Checks the current event's date against the anchors that cover its position. */
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

  /** An anchor's time is the contract's timestamp; its block cannot be earlier. */
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

  /** Requests the times of the blocks that events name. Call once, after the last event. */
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

  /** The root of a size: computed, otherwise the pack's first head, otherwise the auditor's. */
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

  /** Invalid consistency lines. From here on, use the members only after the last event. */
  get broken(): readonly BrokenLink[] {
    this.#broken ??= this.consistencies.flatMap((line) => {
      const fault = this.#faultOf(line);
      return fault === undefined ? [] : [{ line, fault }];
    });
    return this.#broken;
  }

  /**
   * The size of the tree against which all others are checked: the last computed one; in a stream the pack's
   * largest.
   */
  get base(): number | undefined {
    if (this.log.source !== "stream") return this.frontier?.size;
    if (this.#base === undefined) {
      const own = this.heads.filter(isOwn);
      this.#base = largestOf(own.length > 0 ? own : this.heads);
    }
    return this.#base;
  }

  /** False for a head with another root than the events, or than the first head of its size. */
  isAgreed({ size, root }: SizeAndRoot): boolean {
    return this.rootOf(size)!.equals(root);
  }

  /** How many leaves a tree head provably shares with the base; it joins the base if that is all of either. */
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

  /** Heads that the chain took after the export; they may cover more events. */
  get outrunBy(): readonly TreeHead[] {
    const exported_at = Date.parse(this.log.header.exported_at) - GRACE_MS;
    return this.heads.filter(
      (head) => head.timestamp !== undefined && head.timestamp * 1_000 >= exported_at && !this.isJoined(head),
    );
  }

  /** The size of the largest tree head. */
  get largest(): number {
    return largestOf(this.heads) ?? 0;
  }

  /** The last place that these tree heads prove; in a stream, the last version within one. */
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

/** The note's checkpoint for the log with this origin. */
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
