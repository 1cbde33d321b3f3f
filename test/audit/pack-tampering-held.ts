/** The tamper matrix with the auditor's own knowledge: cuts, forks and rewrites that only it reveals. */

import { log, ORIGIN } from "../eventstore/tampering.ts";
import { consistencyLine, keyOf, type NoteSigner } from "./pack-builder.ts";
import {
  A_HASH,
  type Change,
  type Held,
  inNote,
  KEY,
  note,
  type Options,
  type PackTampering,
  rewritten,
  rows,
  strip,
  tampered,
  treeOfRows,
  withEvents,
} from "./pack-tampering.ts";
import { LOG, WITNESS } from "./vectors.ts";

const ALL = [...rows];
export const OTHER: NoteSigner = { ...LOG, signer: WITNESS.signer };
const forkOf = (size: number) => note(size, { root: Buffer.from(A_HASH, "hex") });
export const headAt = (position: number) => ({
  position,
  hash_prefix: rows[position - 1]!.log_hash.slice(0, 16),
});
export const receiptOf = (
  position: number,
  event_hash = rows[position - 1]!.event_hash,
  origin = ORIGIN,
) => ({
  name: "receipt.jws",
  ...{ origin, position, event_hash },
});
const NO_RECEIPTS = { fails: {}, because: "it reads no receipts" };
const NO_WITNESSES = { fails: {}, because: "it knows no witnesses: their lines are of unknown keys" };

/** Events up to a position and the evidence of that time. */
export const cutTo =
  (last: number): Change =>
  (pack) => {
    withEvents(pack, log().slice(0, last));
    pack.evidence = pack.evidence.filter((line) => {
      const size = "size" in line ? line.size : "note" in line ? Number(line.note.split("\n")[1]) : 0;
      return size <= last;
    });
  };

const holding = (
  name: string,
  fails: Record<string, number>,
  says: RegExp,
  held: Held,
  change: Change = () => {},
  options: Options = {},
) => tampered("whole", `held: ${name}`, fails, says, change, { ...options, held });

export const heldCases: PackTampering[] = [
  holding(
    "a later checkpoint, the end cut before an anchor",
    { completeness: 8 },
    /kept-0.note is of 9|end was cut/,
    { checkpoints: [note(9)] },
    cutTo(7),
  ),
  holding(
    "a later head, the end cut before an anchor",
    { completeness: 8 },
    /the end is cut/,
    { heads: [headAt(9)] },
    cutTo(7),
  ),
  holding(
    "a receipt, the end cut before an anchor",
    { completeness: 8 },
    /names the event at position 9: the end was cut/,
    { events: [receiptOf(9)] },
    cutTo(7),
    { second: NO_RECEIPTS },
  ),
  holding(
    "a later checkpoint, the end cut behind the first anchor",
    { completeness: 5 },
    /end was cut/,
    { checkpoints: [note(7)] },
    cutTo(4),
  ),
  holding(
    "a later checkpoint, an old one replayed as the newest",
    { completeness: 5 },
    /end was cut/,
    { checkpoints: [note(9)] },
    (pack) => {
      cutTo(4)(pack);
      strip(pack, "anchor");
    },
  ),
  holding(
    "a later checkpoint, joined by the empty tree alone",
    { completeness: 10 },
    /end was cut/,
    { checkpoints: [forkOf(12)] },
    (pack) => void pack.evidence.push({ evidence: "consistency", first: 0, second: 12, proof: [] }),
  ),
  holding(
    "a later checkpoint, joined by a smaller tree alone, the last event rewritten",
    { completeness: 8 },
    /end was cut/,
    { key: KEY, checkpoints: [note(9)] },
    (pack) => {
      cutTo(4)(pack);
      withEvents(pack, rewritten((own) => Object.assign(own[6]!, { payload: "{}" })).slice(0, 7));
      pack.evidence.push(consistencyLine(ALL, 4, 9));
    },
  ),
  holding("a fork of a checkpoint in the pack", { tree: 7 }, /two roots|root of these/, {
    checkpoints: [forkOf(7)],
  }),
  holding("a fork between the checkpoints", { tree: 5 }, /root of these 5/, { checkpoints: [forkOf(5)] }),
  holding(
    "a checkpoint, everything rewritten and signed again",
    { tree: 4 },
    /two roots/,
    { checkpoints: [note(4)] },
    (pack) => {
      const own = rewritten((forged) => Object.assign(forged[1]!, { payload: "{}" }));
      withEvents(pack, own);
      strip(pack, "anchor");
      for (const [n, size] of [4, 7, 9].entries())
        inNote(pack, () => note(size, { root: treeOfRows(own).root(size) }), n);
    },
  ),
  holding("a checkpoint by another key", { signature: 7 }, /kept-0.note: .*no known key/, {
    checkpoints: [note(7, { signers: [OTHER] })],
  }),
  holding("a checkpoint of another log", { signature: 0 }, /kept-0.note: .*it is of/, {
    checkpoints: [note(7, { origin: "x/y/z", signers: [{ ...LOG, name: "x/y/z" }] })],
  }),
  holding("a checkpoint that is none", { signature: 0 }, /kept-0.note: /, { checkpoints: ["x"] }),
  holding(
    "a receipt of another event",
    { completeness: 6 },
    /names another event/,
    { events: [receiptOf(6, A_HASH)] },
    undefined,
    { second: NO_RECEIPTS },
  ),
  holding(
    "a receipt of another log",
    { completeness: 1 },
    /is of the log x/,
    { events: [receiptOf(6, rows[5]!.event_hash, "x/y/z")] },
    undefined,
    { second: NO_RECEIPTS },
  ),
  holding("another origin", { completeness: 1 }, /is not the expected/, { origin: "log.test/main/e2" }),
  holding(
    "a witness that cosigned nothing",
    { signature: 9 },
    /no checkpoint is cosigned by w2/,
    { witnesses: [keyOf({ ...WITNESS, name: "w2" })] },
    undefined,
    { second: NO_WITNESSES },
  ),
  holding(
    "a witness whose cosignature is wrong",
    { signature: 4 },
    /witness.test.* is wrong/,
    { witnesses: [keyOf(WITNESS)] },
    (pack) =>
      inNote(pack, (text) =>
        text.replace(
          /(— witness\S* .{40})(.)/,
          (_, before, letter) => `${before}${letter === "A" ? "B" : "A"}`,
        ),
      ),
    { second: NO_WITNESSES },
  ),
  holding(
    "a policy whose quorum no checkpoint meets",
    { signature: 9 },
    /quorum/,
    { policy: `witness w2 ${keyOf({ ...WITNESS, name: "w2" })}\nquorum w2\n` },
    undefined,
    { second: NO_WITNESSES },
  ),
  holding(
    "tiles that are damaged",
    { tree: 3 },
    /tile/,
    { tiles: { reason: "the tile is damaged", place: 3 } },
    undefined,
    { second: { fails: {}, because: "tiles are of the service" } },
  ),
  holding(
    "a witness that cosigned more",
    { completeness: 10 },
    /has cosigned 12/,
    { denials: ["w2 has cosigned 12 events that this log does not continue"] },
    undefined,
    { second: { fails: {}, because: "it asks no witness" } },
  ),
  holding(
    "a tree head of more events, without a note",
    { completeness: 10 },
    /this machine signed is of 12 events/,
    { treeHeads: [{ name: "what this machine signed", size: 12, root: Buffer.from(A_HASH, "hex") }] },
    undefined,
    { second: { fails: {}, because: "it believes no tree head without a signature" } },
  ),
  tampered(
    "part",
    "held: a receipt of what lies before",
    { completeness: 7 },
    /which is not here/,
    () => {},
    {
      held: { events: [receiptOf(3)] },
      second: NO_RECEIPTS,
    },
  ),
  tampered(
    "stream",
    "held: a receipt of another stream",
    { completeness: 4 },
    /which is not here/,
    () => {},
    {
      held: { events: [receiptOf(3)] },
      second: NO_RECEIPTS,
    },
  ),
  holding(
    "two receipts of one position, the first wrong",
    { completeness: 6 },
    /names another event/,
    { events: [receiptOf(6, A_HASH), receiptOf(6)] },
    undefined,
    { second: NO_RECEIPTS },
  ),
  tampered("stream", "held: a later checkpoint", { completeness: 4 }, /end was cut/, () => {}, {
    held: { checkpoints: [forkOf(12)] },
  }),
  tampered("stream", "held: a fork of a checkpoint in the pack", { tree: 7 }, /two roots/, () => {}, {
    held: { checkpoints: [forkOf(7)] },
  }),
  tampered("part", "held: a later checkpoint", { completeness: 10 }, /end was cut/, () => {}, {
    held: { checkpoints: [forkOf(12)] },
  }),
  tampered("part", "held: an earlier checkpoint of a fork", { tree: 4 }, /two roots/, () => {}, {
    held: { checkpoints: [forkOf(4)] },
  }),
  tampered(
    "part",
    "held: an earlier checkpoint that nothing joins",
    { completeness: 10 },
    /not shown/,
    () => {},
    { held: { checkpoints: [note(5)] } },
  ),
];
