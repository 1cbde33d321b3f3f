/** Two auditors' checkpoints: one history, one that continues the other, or two that convict their signer; and policies over packs. */
import { describe, expect, test } from "vitest";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import { openNote, parseVerifierKey } from "../../src/anchoring/note.ts";
import { parsePolicy } from "../../src/anchoring/policy.ts";
import type { PeerCheckpoint } from "../../src/audit/evidence-state.ts";
import { type VerifyPackOptions, verifyPack } from "../../src/audit/verify-pack.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import { keyOf, noteOf, treeOf } from "./pack-builder.ts";
import { LOG, readPack, WITNESS } from "./vectors.ts";

const key = parseVerifierKey(keyOf(LOG));
const rows = log();
const headOf = (size: number) => ({ size, root: treeOf(rows).root(size) });
const other = (size: number) => ({ size, root: treeOf([...rows].reverse()).root(size) });
const noteAt = (head: { size: number; root: Uint8Array }, signers = [LOG]) => noteOf(ORIGIN, head, signers);

const verified = (name: string, options: Partial<VerifyPackOptions>) =>
  verifyPack(
    (async function* () {
      yield Buffer.from(readPack(name));
    })(),
    { recover: recoverKey, key, ...options },
  );

async function withPeer(peer: Omit<PeerCheckpoint, "name">, name = "pack.ndjson") {
  const report = await verified(name, { peers: [{ name: "theirs", ...peer }] });
  const verdict = report.verdicts.find((one) => one.name === "peer")!;
  return { ok: report.ok, says: verdict.reason ?? verdict.detail, convictions: report.convictions ?? [] };
}

describe("a peer's checkpoint", () => {
  test.each([4, 7, 9])("of %i events equals ours", async (size) => {
    const { ok, says } = await withPeer({ note: noteAt(headOf(size)) });
    expect([ok, says]).toEqual([true, `theirs is of the same ${size} events and root`]);
  });

  test.each([1, 5, 8])(
    "of %i events, a size without a checkpoint here, is the beginning of our log",
    async (size) => {
      const { ok, says } = await withPeer({ note: noteAt(headOf(size)) });
      expect([ok, says]).toEqual([true, `this log begins with the ${size} events of theirs`]);
    },
  );

  test.each([1, 4, 6, 9])("of %i other events convicts the key by two notes", async (size) => {
    const theirs = noteAt(other(size));
    const { ok, convictions } = await withPeer({ note: theirs });
    expect(ok).toBe(false);
    expect(convictions).toMatchObject([{ theirs }]);
    for (const note of Object.values(convictions[0]!))
      expect(openNote(note, [key]).signatures).toHaveLength(1);
    expect(convictions[0]!.ours).not.toBe(theirs);
  });

  test("of more events is unproven without a proof, and continues our log with one", async () => {
    const grown = [
      ...rows,
      ...rows.slice(0, 3).map((row, n) => ({ ...row, event_hash: `${"ab".repeat(31)}0${n}` })),
    ];
    const size = grown.length;
    const note = noteAt({ size, root: treeOf(grown).root(size) });
    expect((await withPeer({ note })).says).toMatch(/log\/consistency\?first=9&second=12/);
    const hashes = treeOf(grown).consistency(9, size);
    const proof = { first: 9, second: size, hashes };
    expect(await withPeer({ note, proof })).toMatchObject({
      ok: true,
      says: "theirs continues the 9 events signed here",
    });
    const forged = noteAt({ size, root: treeOf([...grown].reverse()).root(size) });
    expect((await withPeer({ note: forged, proof })).says).toMatch(/the proof does not lead from 9 events/);
  });

  test.each([
    ["of another key", noteAt(headOf(9), [{ ...LOG, signer: WITNESS.signer }]), /no known key signed/],
    ["of another log", noteOf("else/1/x", headOf(9), [{ ...LOG, name: "else/1/x" }]), /is of "else/],
    ["that is none", "hello\n", /no checkpoint of this log/],
  ])("%s proves nothing", async (_, note, fault) => {
    const { ok, says, convictions } = await withPeer({ note });
    expect([ok, convictions]).toEqual([false, []]);
    expect(says).toMatch(fault);
  });

  test("is compared with one stream by its signed sizes", async () => {
    expect((await withPeer({ note: noteAt(headOf(9)) }, "stream-pack.ndjson")).ok).toBe(true);
    expect((await withPeer({ note: noteAt(other(9)) }, "stream-pack.ndjson")).convictions).toHaveLength(1);
  });
});

describe("a policy over a pack", () => {
  const policy = (...lines: string[]) => parsePolicy(Buffer.from(lines.map((line) => `${line}\n`).join("")));
  const judged = async (...lines: string[]) => {
    const report = await verified("pack.ndjson", { key: undefined, policy: policy(...lines) });
    const { ok, reason, detail } = report.verdicts.find(({ name }) => name === "signature")!;
    return { ok, says: reason ?? detail, caveat: report.caveat };
  };
  const w = `witness w ${keyOf(WITNESS)}`;
  const stranger = `witness s ${keyOf({ ...WITNESS, name: "s", signer: LOG.signer })}`;

  test("is met by the log and its witness", async () => {
    const { ok, says, caveat } = await judged(`log ${keyOf(LOG)}`, w, "quorum w");
    expect([ok, caveat]).toEqual([true, undefined]);
    expect(says).toMatch(/the policy's log; cosigned by witness\.test\/w1 at .*; the policy is met to 9$/);
  });

  test("without a witness is reported as such", async () => {
    expect(await judged(`log ${keyOf(LOG)}`, "quorum none")).toMatchObject({
      ok: true,
      caveat: "without a witness",
    });
  });

  test("without logs trusts the pack's key", async () => {
    expect(await judged(w, "quorum w")).toMatchObject({ ok: true });
  });

  test.each([
    [
      "a witness that is missing",
      [`log ${keyOf(LOG)}`, w, stranger, "group g all w s", "quorum g"],
      /cosigned by w alone/,
    ],
    ["another log", [`log ${keyOf({ ...LOG, name: "x" })}`, "quorum none"], /does not list/],
    [
      "another key of the log",
      [`log ${keyOf({ ...LOG, signer: WITNESS.signer })}`, "quorum none"],
      /no known key/,
    ],
  ])("with %s is not met", async (_, lines, fault) => {
    const { ok, says } = await judged(...lines);
    expect(ok).toBe(false);
    expect(says).toMatch(fault);
  });
});
