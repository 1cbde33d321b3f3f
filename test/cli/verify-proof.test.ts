/** `tallystick verify event.proof`: the proof of one event, as text and exit status. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseVerifierKey } from "../../src/anchoring/note.ts";
import { proofIn, verifyProofFile } from "../../src/cli/verify-proof.ts";
import { inclusionLine, keyOf, noteOf, treeOf } from "../audit/pack-builder.ts";
import { LOG, WITNESS } from "../audit/vectors.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";

const rows = log();
const row = rows[5]!;
const { idem_key: _, request_hash: __, commit_size: ___, ...event } = row;
const answer = {
  origin: ORIGIN,
  key: keyOf(LOG),
  event,
  checkpoint: noteOf(ORIGIN, { size: 7, root: treeOf(rows).root(7) }, [LOG]),
  inclusion: { size: 7, proof: inclusionLine(rows, row, 7).proof },
  pending: null,
};
const NONE = { witnesses: [] };

describe("the proof of one event", () => {
  test("is verified by the answer's key or by yours", () => {
    const { text, code } = verifyProofFile(answer, NONE, {});
    expect(code).toBe(0);
    expect(text).toContain(`ok   event ${row.position}, ${row.type} of stream ${row.stream_id}`);
    expect(text).toMatch(/\nverified$/);
    expect(verifyProofFile(answer, { key: parseVerifierKey(keyOf(LOG)), witnesses: [] }, {}).code).toBe(0);
  });

  test.each<[string, object]>([
    ["another payload", { event: { ...event, payload: "{}" } }],
    ["another type", { event: { ...event, type: "Other" } }],
    ["another position", { event: { ...event, position: row.position - 1 } }],
    ["no checkpoint", { checkpoint: null }],
  ])("with %s is not verified", (_name, change) => {
    const { text, code } = verifyProofFile({ ...answer, ...change }, NONE, {});
    expect(code).toBe(1);
    expect(text).toMatch(/^FAIL .+\nNOT verified$/);
  });

  test("by another key than yours is not verified", () => {
    const key = parseVerifierKey(keyOf({ ...LOG, signer: WITNESS.signer }));
    expect(verifyProofFile(answer, { key, witnesses: [] }, {})).toMatchObject({ code: 1 });
  });

  test("that is pending is neither verified nor false", () => {
    const pending = { ...answer, inclusion: null, pending: { detail: "the next checkpoint follows in 5 s" } };
    expect(verifyProofFile(pending, NONE, {})).toEqual({
      text: "?    not yet: the next checkpoint follows in 5 s",
      code: 2,
    });
  });

  test("takes no option that needs an export", () => {
    expect(() => verifyProofFile(answer, NONE, { head: "7:ab", stream: undefined })).toThrow(
      "--head needs an export",
    );
  });
});

describe("a file", () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "tallystick-proof-"));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test.each<[string, string, boolean]>([
    ["a proof", JSON.stringify(answer), true],
    ["an export", `${JSON.stringify({ event })}\n${JSON.stringify({ end: true })}\n`, false],
    ["another object", "{}", false],
    ["no JSON", "not yet", false],
  ])("with %s is read as such", async (name, text, isProof) => {
    const file = join(dir, `${name}.json`);
    await writeFile(file, text);
    expect((await proofIn([file])) !== undefined).toBe(isProof);
  });

  test("that is missing, one of several, or the standard input is no proof", async () => {
    for (const files of [[], ["-"], [join(dir, "missing")], ["a", "b"]])
      expect(await proofIn(files)).toBeUndefined();
  });
});
