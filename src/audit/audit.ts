/** Verifies an export's evidence: its events form the signed and anchored tree. */
import { copyHash } from "../../eventstore/verify/bytes.ts";
import type { Companion, FaultSink, ProvenRange } from "../../eventstore/verify/companion.ts";
import { type EventRow, UnreadableEvent } from "../../eventstore/verify/event-row.ts";
import { readHeader } from "../../eventstore/verify/header.ts";
import type { LogState } from "../../eventstore/verify/log-state.ts";
import { type Evidence, type EvidenceOf, readEvidence } from "../anchoring/evidence.ts";
import { MalformedNote, openNote, parseVerifierKey, type VerifierKey } from "../anchoring/note.ts";
import { judgeCheckpoint, nameOf } from "../anchoring/policy.ts";
import { Frontier } from "../anchoring/tree.ts";
import { actTypes } from "./act-claims.ts";
import { type ActCounts, Acts } from "./acts.ts";
import { readBlock, readTransaction } from "./anchor.ts";
import { type AuditCheck, auditChecks } from "./checks.ts";
import { eventsOf } from "./event-lines.ts";
import { type AuditorKnowledge, EvidenceState, type ReadNote, readNote } from "./evidence-state.ts";
import type { Fault } from "./fault.ts";
import { timeOf } from "./named-blocks.ts";
import { type Conviction, comparePeer, type PeerFinding } from "./peer.ts";

export type AuditOptions = AuditorKnowledge & {
  /** Default: all checks. Tests omit one at a time. */
  auditChecks?: AuditCheck[];
};

/** The order of evidence before the events, and the kinds that occur at most once. */
const ORDER: readonly Evidence["evidence"][] = ["key", "frontier", "checkpoint", "anchor", "consistency"];
const ONCE: ReadonlySet<Evidence["evidence"]> = new Set(["key", "frontier"]);

/**
 * Limits of the evidence before the events, which stays in memory: lines and bytes; docs/event-log.md, section 7,
 * states both.
 */
const MOST_EVIDENCE = { lines: 100_000, bytes: 64 * 1024 * 1024 };

type JudgedFault = Fault & Pick<AuditCheck, "verdict">;

export class Audit implements Companion {
  readonly verdicts: string[];
  readonly #held: AuditOptions;
  readonly #checks: AuditCheck[];
  #state: EvidenceState | undefined;
  #acts: Acts | undefined;
  #peers: PeerFinding[] = [];
  #say: FaultSink = () => {};
  /** Reported at the end, the lowest place first, because tree heads come in any order. */
  readonly #faults: JudgedFault[] = [];
  #rank = 0;
  readonly #taken = { lines: 0, bytes: 0 };
  #shown = 0;
  /** The last event read. */
  #event: { version: number; event_hash: Buffer; recorded_at_us: number } | undefined;

  constructor(held: AuditOptions) {
    this.#held = held;
    this.#checks = held.auditChecks ?? auditChecks;
    this.verdicts = ["tree", "signature", "anchor", "acts", ...(held.peers?.length ? ["peer"] : [])];
  }

  begin(log: LogState, say: FaultSink): void {
    this.#state = new EvidenceState(log, this.#held);
    this.#say = say;
  }

  line(text: string): void {
    if (!this.#event) this.#count(text);
    const line = readEvidence(text);
    if (typeof line === "string") throw new UnreadableEvent(line);
    if (line.evidence === "inclusion") this.#inclusion(line);
    else {
      const rank = ORDER.indexOf(line.evidence);
      if (this.#event || rank < this.#rank)
        throw new UnreadableEvent(`${line.evidence} evidence stands too late`);
      this.#rank = ONCE.has(line.evidence) ? rank + 1 : rank;
      this.#take(line);
    }
  }

  /** Throws for a line beyond the limits, before it is parsed. */
  #count(text: string): void {
    this.#taken.lines++;
    this.#taken.bytes += Buffer.byteLength(text);
    const { lines, bytes } = MOST_EVIDENCE;
    if (this.#taken.lines > lines || this.#taken.bytes > bytes)
      throw new UnreadableEvent(`more evidence precedes the events than ${lines} lines or ${bytes} bytes`);
  }

  #take(line: Exclude<Evidence, { evidence: "inclusion" }>): void {
    const state = this.#state!;
    switch (line.evidence) {
      case "key":
        if (!state.key) this.#trust(line.key);
        return;
      case "frontier": {
        const sound = this.#run("frontier", line.size, (check) => check.fault(line, state));
        if (sound) state.startFrom(frontierOf(line));
        return;
      }
      case "checkpoint": {
        const read = readNote(line.note, state.log.header.origin);
        state.checkpoints.push(read);
        const sound = this.#run("checkpoint", read.checkpoint?.size ?? 0, (check) =>
          check.fault(read, state),
        );
        if (!read.checkpoint) return;
        state.head({ ...read.checkpoint, from: "checkpoint", name: "the checkpoint" });
        if (sound) this.#signed(read);
        return;
      }
      case "anchor": {
        const head = { size: line.size, root: Buffer.from(line.root, "hex") };
        state.anchors.push(line);
        const sound = this.#run("anchor", line.size, (check) => check.fault(line, state));
        if (sound) state.anchored.push({ ...head, line });
        state.head({ ...head, from: "anchor", name: "the anchor" });
        return;
      }
      case "consistency":
        state.consistencies.push(line);
        state.want(line.first);
        state.want(line.second);
    }
  }

  /** An unreadable key counts as no key: then no signature is by a known signer. */
  #trust(text: string): void {
    const state = this.#state!;
    try {
      state.key = parseVerifierKey(text);
    } catch (error) {
      if (!(error instanceof MalformedNote)) throw error;
      state.keyFault = error.message;
    }
  }

  #signed({ note, checkpoint }: ReadNote): void {
    const state = this.#state!;
    state.signed.push(checkpoint!);
    state.signedNotes.push({ note, checkpoint: checkpoint! });
    const { log, witnesses } = state.trust;
    if (witnesses.length > 0)
      for (const { key, timestamp } of openNote(note, [...log, ...witnesses]).signatures)
        if (timestamp !== undefined && witnesses.includes(key)) state.cosigned.set(key.name, timestamp);
    this.#judge(note, log);
  }

  #judge(note: string, log: readonly VerifierKey[]): void {
    const { policy } = this.#held;
    if (!policy) return;
    const state = this.#state!;
    const verdict = judgeCheckpoint(note, policy, log);
    if (!verdict.valid) state.quorumFault = verdict.reason;
    else if (verdict.checkpoint.size >= (state.quorum?.size ?? 0)) {
      const { checkpoint, witnessed_by } = verdict;
      state.quorum = { size: checkpoint.size, witnessed_by: witnessed_by.map(nameOf) };
    }
  }

  #inclusion(line: EvidenceOf<"inclusion">): void {
    const state = this.#state!;
    const { version, position, size } = line;
    if (state.log.source !== "stream" || this.#event?.version !== version || this.#shown === version)
      throw new UnreadableEvent("inclusion evidence must follow its event in the export of a stream");
    this.#shown = version;
    const { event_hash } = this.#event;
    const sound = this.#run("inclusion", state.log.place, (check) => check.fault(line, state, event_hash));
    if (!sound) return;
    state.inclusions.push({ version, position, size });
    state.date(position, this.#event.recorded_at_us);
  }

  event(row: EventRow): void {
    this.#event ??= { version: 0, event_hash: Buffer.alloc(32), recorded_at_us: 0 };
    this.#event.version = row.version;
    this.#event.recorded_at_us = row.recorded_at_us;
    copyHash(row.event_hash, this.#event.event_hash);
    const state = this.#state!;
    if (state.log.source === "database") this.#takeRow(row);
    state.event(row);
  }

  /** The lines of an export, before they are verified: the reader of usual lines passes on no payloads. */
  takeLines(lines: Buffer): void {
    if (!this.#acts) {
      const header = readHeader(lines.toString("utf8", 0, lines.indexOf(10)));
      if (typeof header === "string") return;
      const is_whole = "first_position" in header && header.first_position === 1;
      this.#acts = new Acts(this.#held.recover, { is_whole });
    }
    for (const event of eventsOf(lines, actTypes)) this.#acts.take(event);
  }

  #takeRow(row: EventRow): void {
    const { log } = this.#state!;
    this.#acts ??= new Acts(this.#held.recover, { is_whole: log.fromTheStart });
    const type = row.type.text();
    if (!actTypes.has(type)) return;
    const { position, version } = row;
    const texts = { stream_id: row.stream_id.text(), tenant: row.tenant.text() };
    this.#acts.take({
      type,
      position,
      version,
      ...texts,
      payload: row.payload.text(),
      meta: row.meta.text(),
    });
  }

  /** Undefined without a header: nothing was read. */
  get acts(): ActCounts | undefined {
    return this.#acts?.counts;
  }

  /** The notes of each peer that prove a second history. */
  get convictions(): Conviction[] {
    return this.#peers.flatMap((one) => (one.status === "convicted" ? [one.conviction] : []));
  }

  /** Without a cosignature that the auditor trusts, another reader may have been shown another history. */
  caveat(): string | undefined {
    const state = this.#state;
    const isWitnessed = (state && state.cosigned.size > 0) || this.#held.witnessed?.length;
    return isWitnessed ? undefined : "without a witness";
  }

  async settle(): Promise<void> {
    await this.#state!.settle();
  }

  end(): void {
    const state = this.#state!;
    state.finish();
    for (const { name, note } of this.#held.checkpoints ?? []) {
      const read = readNote(note, state.log.header.origin);
      const sound = this.#run("checkpoint", read.checkpoint?.size ?? 0, (check) => {
        const fault = check.fault(read, state);
        return fault && `${name}: ${fault}`;
      });
      if (sound && read.checkpoint) state.heldSigned.push(read.checkpoint);
    }
    for (const check of this.#checks) {
      const fault = check.at === "end" ? check.fault(state) : undefined;
      if (fault) this.#faults.push({ verdict: check.verdict, ...fault });
    }
    for (const { reason, place } of this.#acts?.faults ?? []) this.#say("acts", reason, place);
    this.#peers = (this.#held.peers ?? []).map((peer) => comparePeer(state, peer));
    for (const finding of this.#peers) if ("reason" in finding) this.#say("peer", finding.reason, 0);
    this.#faults.sort((a, b) => a.place - b.place);
    const good = new Map<string, number | undefined>();
    for (const fault of this.#faults) {
      const { verdict, reason, place } = fault;
      if (!good.has(verdict)) good.set(verdict, fault.good ?? goodBelow(state, fault));
      this.#say(verdict, reason, place, good.get(verdict));
    }
  }

  /** Runs the checks for one kind of line, for the tree head (or version) at `place`; true if none fails. */
  #run<At extends AuditCheck["at"]>(
    at: At,
    place: number,
    faultOf: (check: Extract<AuditCheck, { at: At }>) => string | undefined,
  ): boolean {
    let sound = true;
    for (const check of this.#checks) {
      const reason = check.at === at ? faultOf(check as Extract<AuditCheck, { at: At }>) : undefined;
      if (reason === undefined) continue;
      sound = false;
      this.#faults.push({ verdict: check.verdict, reason, place });
    }
    return sound;
  }

  proven(): ProvenRange[] {
    const state = this.#state!;
    return [
      { by: "anchored to", to: state.reachOf(state.anchored) },
      { by: "signed to", to: state.reachOf(state.signed) },
      { by: "proven by the auditor's checkpoint up to", to: state.reachOf(state.heldSigned) },
    ].filter(({ to }) => to > 0);
  }

  reach(verdict: string): string {
    const state = this.#state!;
    if (verdict === "acts") return this.#acts?.reach() ?? "no act of an agent was read";
    if (verdict === "tree") return treeReach(state);
    if (verdict === "peer")
      return this.#peers.flatMap((one) => ("detail" in one ? [one.detail] : [])).join("; ");
    return verdict === "signature" ? signatureReach(state) : anchorReach(state);
  }
}

/** The last good place despite a fault: as far as smaller tree heads prove, or the place before the end. */
function goodBelow(state: EvidenceState, { verdict, place }: JudgedFault): number | undefined {
  const heads = {
    signature: state.signed,
    anchor: state.anchored,
    tree: state.heads,
    completeness: undefined,
  };
  return heads[verdict] && state.reachOf(heads[verdict].filter(({ size }) => size < place));
}

const frontierOf = ({ size, hashes }: EvidenceOf<"frontier">) =>
  new Frontier(
    size,
    hashes.map((hash) => Buffer.from(hash, "hex")),
  );

function treeReach({ heads, log, inclusions, largest }: EvidenceState): string {
  if (heads.length === 0) return "no checkpoint and no anchor: there is no tree to compare the events with";
  if (log.source === "stream")
    return `${inclusions.length} of ${log.events} events are shown to be in the tree of ${largest}`;
  const beyond = largest > log.place ? `, of which these are the first ${log.place}` : "";
  return `${heads.length} tree heads, up to ${largest} events${beyond}`;
}

function signatureReach(state: EvidenceState): string {
  const { signed, held, cosigned, quorum, trust } = state;
  const newest = signed.reduce((most, { size }) => Math.max(most, size), 0);
  if (newest === 0) return "nothing is signed";
  const listed = held.policy && held.policy.logs.length > 0;
  const whose = listed
    ? "the policy's log"
    : held.key
      ? "the key given"
      : "a key that came with the log: compare it with one you trust, by --key";
  const times = [
    ...[...cosigned].map(([name, time]) => `${name} at ${timeOf(time)}`),
    ...(held.witnessed ?? []),
  ];
  const by = times.length > 0 ? `; cosigned by ${times.join(", ")}` : "; without a witness";
  const met = quorum ? `; the policy is met to ${quorum.size}` : "";
  const keys = trust.log.map(({ name, id }) => `${name}+${id}`).join(" or ");
  return `signed to ${newest} by ${keys}, ${whose}${by}${met}`;
}

function anchorReach(state: EvidenceState): string {
  const { anchored, held, log } = state;
  const newest = anchored.reduce<(typeof anchored)[number] | undefined>(
    (best, anchor) => (best && best.size > anchor.size ? best : anchor),
    undefined,
  )?.line;
  if (!newest) return "nothing is anchored";
  const block = readBlock(newest);
  if (typeof block === "string") return block;
  const { size, network, contract, signer, transaction } = newest;
  const sent = readTransaction(transaction, held.recover)?.hash;
  const what = `${size} events are on ${network}, in the contract ${contract} under ${signer}, by the transaction ${sent}; block ${block.number} proves it`;
  const unnamed = [held.contract ? "" : "--contract", held.signer ? "" : "--signer"].filter(Boolean);
  const whose = unnamed.length > 0 ? `; ${unnamed.join(" and ")} compares them with those you know` : "";
  const { chain } = held;
  if (typeof chain !== "object")
    return `${what}; that this block is of that chain was assumed: --rpc checks it${whose}`;
  const final = Number(block.number) <= chain.finalized;
  const first = chain.first
    ? `; ${chain.first.signer} anchored this log first, in block ${chain.first.block}`
    : "";
  const standing = `${what}; the chain has this block${final ? ", for good" : ", which is not final yet"}${first}`;
  const [outrun] = state.outrunBy;
  if (!outrun) return standing;
  return `${standing}; it keeps ${outrun.size} events by now: export again to compare what came after ${log.header.exported_at} against it`;
}
