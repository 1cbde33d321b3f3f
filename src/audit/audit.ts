/** Judges the evidence of an export: that its events are the tree that was signed and anchored. */
import type { Companion, Proven, Say } from "../../eventstore/verify/companion.ts";
import { type EventRow, UnreadableEvent } from "../../eventstore/verify/event-row.ts";
import type { LogState } from "../../eventstore/verify/log-state.ts";
import { type Evidence, type EvidenceOf, readEvidence } from "../anchoring/evidence.ts";
import { openNote, parseVerifierKey } from "../anchoring/note.ts";
import { Frontier } from "../anchoring/tree.ts";
import { readBlock, readTransaction } from "./anchor.ts";
import { type AuditCheck, auditChecks } from "./checks.ts";
import { EvidenceState, type Held, type ReadNote, readNote } from "./evidence-state.ts";

export type AuditOptions = Held & {
  /** All of them when left out; the tests leave one out at a time. */
  auditChecks?: AuditCheck[];
};

export class Audit implements Companion {
  readonly verdicts = ["tree", "signature", "anchor"];
  readonly #held: AuditOptions;
  readonly #checks: AuditCheck[];
  #state: EvidenceState | undefined;
  #say: Say = () => {};
  /** Of the event read last. */
  #event: { version: number; event_hash: Buffer } | undefined;

  constructor(held: AuditOptions) {
    this.#held = held;
    this.#checks = held.auditChecks ?? auditChecks;
  }

  begin(log: LogState, say: Say): void {
    this.#state = new EvidenceState(log, this.#held);
    this.#say = say;
  }

  line(text: string): void {
    const line = readEvidence(text);
    if (typeof line === "string") throw new UnreadableEvent(line);
    if (line.evidence === "inclusion") this.#inclusion(line);
    else if (this.#event) throw new UnreadableEvent(`${line.evidence} evidence stands before the events`);
    else this.#take(line);
  }

  #take(line: Exclude<Evidence, { evidence: "inclusion" }>): void {
    const state = this.#state!;
    switch (line.evidence) {
      case "key":
        state.keyLines++;
        state.key ??= parsedKey(line.key);
        this.#run("key", (check) => check.fault(line, state));
        return;
      case "frontier": {
        const sound = this.#run("frontier", (check) => check.fault(line, state));
        if (sound) state.startFrom(frontierOf(line));
        return;
      }
      case "checkpoint": {
        const read = readNote(line.note);
        state.checkpoints.push(read);
        const sound = this.#run("checkpoint", (check) => check.fault(read, state));
        if (!read.checkpoint) return;
        state.head({ ...read.checkpoint, from: "checkpoint", name: "the checkpoint" });
        if (sound) this.#signed(read);
        return;
      }
      case "anchor":
        state.anchors.push(line);
        if (this.#run("anchor", (check) => check.fault(line, state))) state.anchored.push(line);
        state.head({ ...line, root: Buffer.from(line.root, "hex"), from: "anchor", name: "the anchor" });
        return;
      case "consistency":
        state.consistencies.push(line);
        state.want(line.first);
        state.want(line.second);
    }
  }

  #signed({ note, checkpoint }: ReadNote): void {
    const state = this.#state!;
    state.signed.push(checkpoint!);
    const { witnesses = [] } = this.#held;
    if (!witnesses.some(({ name }) => note.includes(`\n— ${name} `))) return;
    for (const { key, timestamp } of openNote(note, witnesses).signatures)
      state.cosigned.set(key.name, timestamp ?? 0);
  }

  #inclusion(line: EvidenceOf<"inclusion">): void {
    const state = this.#state!;
    const sound = this.#run("inclusion", (check) => check.fault(line, state, this.#event));
    if (sound) state.inclusions.push({ version: line.version, position: line.position });
  }

  event(row: EventRow): void {
    this.#event ??= { version: 0, event_hash: Buffer.alloc(32) };
    this.#event.version = row.version;
    row.event_hash.copy(this.#event.event_hash);
    this.#state!.event(row);
  }

  end(): void {
    const state = this.#state!;
    state.finish();
    for (const { name, note } of this.#held.checkpoints ?? [])
      this.#run("checkpoint", (check) => {
        const fault = check.fault(readNote(note), state);
        return fault && `${name}: ${fault}`;
      });
    for (const check of this.#checks) {
      const fault = check.at === "end" ? check.fault(state) : undefined;
      if (fault) this.#say(check.verdict, fault.reason, fault.place, fault.good);
    }
  }

  /** Runs the checks of one kind of line; true when it has no fault. */
  #run<At extends AuditCheck["at"]>(
    at: At,
    faultOf: (check: Extract<AuditCheck, { at: At }>) => string | undefined,
  ): boolean {
    const { log, inclusions } = this.#state!;
    const place = log.source === "stream" ? (inclusions.at(-1)?.version ?? 0) + 1 : log.position + 1;
    const faults = this.#checks.flatMap((check) => {
      const fault = check.at === at ? faultOf(check as Extract<AuditCheck, { at: At }>) : undefined;
      return fault === undefined ? [] : [{ check, fault }];
    });
    for (const { check, fault } of faults) this.#say(check.verdict, fault, place);
    return faults.length === 0;
  }

  proven(): Proven[] {
    const state = this.#state!;
    const furthest = (sizes: number[]) => Math.max(0, ...sizes.map((size) => state.placeOf(size)));
    const anchored = furthest(state.anchored.map(({ size }) => size));
    const signed = furthest(state.signed.map(({ size }) => size));
    return [
      { by: "anchored to", to: anchored },
      { by: "signed to", to: signed },
    ].filter(({ to }) => to > 0);
  }

  reach(verdict: string): string {
    const state = this.#state!;
    if (verdict === "tree") return treeReach(state);
    return verdict === "signature" ? signatureReach(state) : anchorReach(state);
  }
}

function parsedKey(text: string) {
  try {
    return parseVerifierKey(text);
  } catch (error) {
    throw new UnreadableEvent(`key: ${(error as Error).message}`);
  }
}

const frontierOf = ({ size, hashes }: EvidenceOf<"frontier">) =>
  new Frontier(
    size,
    hashes.map((hash) => Buffer.from(hash, "hex")),
  );

function treeReach({ heads, log, inclusions, largest, frontier }: EvidenceState): string {
  if (heads.length === 0) return "no checkpoint and no anchor: there is no tree to hold the events against";
  if (log.source === "stream")
    return `${inclusions.length} of ${log.events} events are shown to be in the tree of ${largest}`;
  const held = `${heads.length} tree heads, up to ${largest} events`;
  return frontier ? `${held}, are those of these events` : `${held}, and no frontier of what lies before`;
}

function signatureReach({ signed, key, held, cosigned }: EvidenceState): string {
  const newest = Math.max(0, ...signed.map(({ size }) => size));
  if (newest === 0) return "nothing is signed";
  const whose = held.key
    ? "the key given"
    : "a key that came with the log: compare it with one you trust, by --key";
  const times = [...cosigned].map(([name, time]) => `${name} at ${new Date(time * 1_000).toISOString()}`);
  const by = times.length > 0 ? `; cosigned by ${times.join(", ")}` : "";
  return `signed to ${newest} by ${key?.name}+${key?.id}, ${whose}${by}`;
}

function anchorReach(state: EvidenceState): string {
  const { anchored, held, log } = state;
  const newest = anchored.reduce<(typeof anchored)[number] | undefined>(
    (best, line) => (best && best.size > line.size ? best : line),
    undefined,
  );
  if (!newest) return "nothing is anchored";
  const block = readBlock(newest);
  if (typeof block === "string") return block;
  const { size, network, contract, signer, transaction } = newest;
  const sent = readTransaction(transaction, held.recover)?.hash;
  const what = `${size} events are kept on ${network} in block ${block.number} by ${contract} for ${signer}, sent with ${sent}`;
  const { chain } = held;
  if (typeof chain !== "object")
    return `${what}; that this block is of that chain was believed: --rpc asks it`;
  const final = Number(block.number) <= chain.finalized;
  const standing = `${what}; the chain has this block${final ? ", for good" : ", which is not final yet"}`;
  if (!state.isOutrun) return standing;
  return `${standing}; it keeps ${chain.head!.size} events by now: export again to hold what came after ${log.header.exported_at} against it`;
}
