/** Checkpoints, cosigned ones, and the proofs that carry them: c2sp.org/tlog-checkpoint, tlog-cosignature, tlog-proof, tlog-witness. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Checkpoint,
  cosignCheckpoint,
  formatCheckpoint,
  openCheckpoint,
  parseCheckpoint,
  signCheckpoint,
  withCosignatures,
} from "../../src/anchoring/checkpoint.ts";
import {
  formatNote,
  MalformedNote,
  parseNote,
  signText,
  UnverifiedNote,
  verifierKey,
} from "../../src/anchoring/note.ts";
import { hashesOf, inclusionSpans } from "../../src/anchoring/proofs.ts";
import {
  formatAddCheckpoint,
  formatTlogProof,
  openTlogProof,
  ProofError,
  parseAddCheckpoint,
  parseTlogProof,
} from "../../src/anchoring/tlog-proof.ts";
import { EMPTY_ROOT, leafHash, nodeHash, rootOver } from "../../src/anchoring/tree.ts";
import { scaled } from "../support/scale.ts";
import { signerOf } from "./signers.ts";

const origin = "log.example.com/main/5f1d0c3ab2e94f77";
const signer = signerOf("log");
const log = verifierKey(origin, "ed25519", signer.public_key);
const witnessNames = ["witness.example/w1", "witness.example/w2"] as const;
const witnesses = witnessNames.map((name) => verifierKey(name, "cosignature/v1", signerOf(name).public_key));

const events = Array.from({ length: 11 }, (_, n) => createHash("sha256").update(`event ${n}`).digest());
const leaves = events.map(leafHash);
const checkpoint: Checkpoint = { origin, size: 11, root: rootOver(leaves), extensions: [] };
const note = signCheckpoint(checkpoint, signer);
const cosign = (name: string, time: number) => cosignCheckpoint(note, name, signerOf(name), time);

/** The example of c2sp.org/tlog-cosignature. */
const SOFA = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`;

describe("a checkpoint", () => {
  test("is parsed from the specification's example", () => {
    const { text, signatures } = parseNote(SOFA);
    expect(parseCheckpoint(text)).toMatchObject({
      origin: "example.com/behind-the-sofa",
      size: 20_852_163,
      extensions: [],
    });
    expect(formatCheckpoint(parseCheckpoint(text))).toBe(text);
    const [signed, cosigned] = signatures;
    expect(signed).toMatchObject({ name: "example.com/behind-the-sofa", key_id: "033de0ae" });
    expect(signed!.bytes).toHaveLength(64);
    expect(cosigned).toMatchObject({ name: "witness.example.com/w1", key_id: "8d66cf3f" });
    expect(cosigned!.bytes.readBigUInt64BE(0)).toBe(1_679_315_147n);
    expect(cosigned!.bytes).toHaveLength(72);
  });

  test("is signed by the key named like its origin", () => {
    expect(note.split("\n").slice(0, 4)).toEqual([origin, "11", checkpoint.root.toString("base64"), ""]);
    expect(openCheckpoint(note, { log })).toEqual({ ...checkpoint, cosignatures: [] });
  });

  test("of an empty log is valid", () => {
    const empty = { origin, size: 0, root: EMPTY_ROOT, extensions: ["more"] };
    expect(openCheckpoint(signCheckpoint(empty, signer), { log })).toEqual({ ...empty, cosignatures: [] });
  });

  const root = checkpoint.root.toString("base64");
  test.each([
    ["no origin", `\n11\n${root}\n`, /no origin/],
    ["no root", `${origin}\n11\n`, /root/],
    ["a leading zero", `${origin}\n011\n${root}\n`, /size/],
    ["a sign", `${origin}\n+11\n${root}\n`, /size/],
    ["hexadecimal", `${origin}\n0x11\n${root}\n`, /size/],
    ["an exponent", `${origin}\n1e3\n${root}\n`, /size/],
    ["a space", `${origin}\n11 \n${root}\n`, /size/],
    ["no size", `${origin}\n\n${root}\n`, /size/],
    ["a size of 2^53", `${origin}\n9007199254740992\n${root}\n`, /size/],
    ["a root of 31 bytes", `${origin}\n11\n${Buffer.alloc(31).toString("base64")}\n`, /root/],
    ["a root in hex", `${origin}\n11\n${checkpoint.root.toString("hex")}\n`, /root/],
    ["an empty extension", `${origin}\n11\n${root}\n\nmore\n`, /empty line/],
    ["an empty tree with a root", `${origin}\n0\n${root}\n`, /empty tree/],
  ])("with %s is refused", (_, text, fault) => {
    expect(() => parseCheckpoint(text)).toThrow(MalformedNote);
    expect(() => parseCheckpoint(text)).toThrow(fault);
    const signed = formatNote({ text, signatures: [signText(text, origin, signer)] });
    expect(() => openCheckpoint(signed, { log })).toThrow(MalformedNote);
  });

  test("without an end is refused", () => {
    expect(() => parseCheckpoint(`${origin}\n11\n${root}`)).toThrow("does not end");
  });

  test.each([
    ["a newline in the origin", { origin: `${origin}\n12\n${root}` }],
    ["a newline in an extension", { extensions: ["a\nb"] }],
    ["an empty extension", { extensions: [""] }],
    ["half a size", { size: 0.5 }],
    ["a size of 2^53", { size: 2 ** 53 }],
    ["a short root", { root: Buffer.alloc(31) }],
    ["an origin that is not a key name", { origin: "log one" }],
  ])("with %s is not signed", (_, change) => {
    expect(() => signCheckpoint({ ...checkpoint, ...change }, signer)).toThrow(MalformedNote);
  });

  test("of another log, or by another key, is refused", () => {
    const elsewhere = signCheckpoint({ ...checkpoint, origin: "log.example.com/other" }, signer);
    expect(() => openCheckpoint(elsewhere, { log })).toThrow("no known key signed");
    const text = formatCheckpoint({ ...checkpoint, origin: "log.example.com/other" });
    const swapped = formatNote({ text, signatures: [signText(text, origin, signer)] });
    expect(() => openCheckpoint(swapped, { log })).toThrow(
      /is of the log "log.example.com\/other", not of log\.example/,
    );
    const forged = signCheckpoint(checkpoint, signerOf("forger"));
    expect(() => openCheckpoint(forged, { log })).toThrow(UnverifiedNote);
  });

  test("signed only by witnesses is refused", () => {
    const { text } = parseNote(note);
    const unsigned = `${text}\n${cosign(witnessNames[0], 1)}`;
    expect(() => openCheckpoint(unsigned, { log, witnesses })).toThrow(/the log's key .* has not signed/);
  });
});

describe("cosignatures", () => {
  test("are added to the note, each witness's latest once", () => {
    const first = withCosignatures(note, cosign(witnessNames[0], 100), witnesses);
    const second = withCosignatures(first, cosign(witnessNames[1], 200), witnesses);
    const third = withCosignatures(second, cosign(witnessNames[0], 300), witnesses);
    expect(openCheckpoint(third, { log, witnesses }).cosignatures).toMatchObject([
      { witness: witnessNames[1], timestamp: 200 },
      { witness: witnessNames[0], timestamp: 300 },
    ]);
    expect(openCheckpoint(third, { log }).cosignatures).toEqual([]);
    expect(parseNote(third).signatures).toHaveLength(3);
  });

  test("of unknown witnesses in an answer are dropped", () => {
    const answer = cosign("stranger.example", 1) + cosign(witnessNames[0], 2);
    const signers = parseNote(withCosignatures(note, answer, witnesses)).signatures.map(({ name }) => name);
    expect(signers).toEqual([origin, witnessNames[0]]);
  });

  test.each([
    ["of strangers alone", cosign("stranger.example", 1), /no known key/],
    [
      "of another text",
      cosignCheckpoint(
        signCheckpoint({ ...checkpoint, size: 12 }, signer),
        witnessNames[0],
        signerOf(witnessNames[0]),
        1,
      ),
      /is wrong/,
    ],
    ["below further text", `text\n\n${cosign(witnessNames[0], 1)}`, /is not a signature/],
    ["twice", cosign(witnessNames[0], 1) + cosign(witnessNames[0], 2), /twice/],
    ["without an end", cosign(witnessNames[0], 1).trimEnd(), /does not end/],
    ["of nobody", "", /no signature/],
  ])("%s are refused", (_, answer, fault) => {
    expect(() => withCosignatures(note, answer, witnesses)).toThrow(fault);
  });

  test("are created for checkpoints only", () => {
    const other = formatNote({ text: "hello\n", signatures: [signText("hello\n", origin, signer)] });
    expect(() => cosignCheckpoint(other, witnessNames[0], signer, 1)).toThrow(MalformedNote);
  });
});

const proofOf = (index: number) =>
  hashesOf(inclusionSpans(index, 11), ({ height, index: at }) =>
    rootOver(leaves.slice(at * 2 ** height, (at + 1) * 2 ** height)),
  );

describe("a tlog-proof", () => {
  const index = 6;
  const text = formatTlogProof({ index, proof: proofOf(index), checkpoint: note });

  test("is parsed from the specification's example", () => {
    const example = `c2sp.org/tlog-proof@v1
extra YWdlLXYxLjIuMS1kYXJ3aW4tYXJtNjQudGFyLmd6kYXJ3aW4tYXJ
index 73894
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=
EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs=
RoopEkOdqkYqMB4MJXrbt/hMjOxsVn0IrWjpz1ZMMes=
AHCioX9nLjsrse6YhjRRmk1WUEirVOLLRoOQ6vfO5vk=

${SOFA}`;
    const parsed = parseTlogProof(example);
    expect(parsed).toMatchObject({ index: 73_894, checkpoint: SOFA });
    expect(parsed.proof).toHaveLength(5);
    expect(parsed.extra!.subarray(0, 10).toString()).toBe("age-v1.2.1");
    expect(formatTlogProof(parsed)).toBe(example);
  });

  test("proves that an event is in the log, offline, with the log's key only", () => {
    expect(text.split("\n").slice(0, 2)).toEqual(["c2sp.org/tlog-proof@v1", "index 6"]);
    const opened = openTlogProof(text, events[index]!, { log });
    expect(opened).toEqual({ ...checkpoint, cosignatures: [], index });
    const extra = Buffer.from("where from");
    const more = formatTlogProof({ index, proof: proofOf(index), checkpoint: note, extra });
    expect(parseTlogProof(more).extra).toEqual(extra);
    expect(openTlogProof(more, events[index]!, { log }).size).toBe(11);
  });

  test("of a log of one event has no hashes", () => {
    const one = signCheckpoint({ ...checkpoint, size: 1, root: leaves[0]! }, signer);
    const alone = formatTlogProof({ index: 0, proof: [], checkpoint: one });
    expect(openTlogProof(alone, events[0]!, { log }).size).toBe(1);
  });

  test.each([
    ["another event", text, events[7]!],
    ["a leaf hash for an event hash", text, leaves[index]!],
    ["two leaves for an event", text, nodeHash(leaves[6]!, leaves[7]!)],
    ["another index", text.replace("index 6", "index 7"), events[index]!],
    ["an index beyond the log", text.replace("index 6", "index 11"), events[index]!],
    ["a hash less", text.replace(`${proofOf(index)[3]!.toString("base64")}\n`, ""), events[index]!],
  ])("does not show %s", (_, changed, event_hash) => {
    expect(() => openTlogProof(changed, event_hash, { log })).toThrow(ProofError);
  });

  test("does not verify without the log's signature", () => {
    expect(() => openTlogProof(text, events[index]!, { log: witnesses[0]! })).toThrow(UnverifiedNote);
  });

  const hash = proofOf(index)[0]!.toString("base64");
  test.each([
    ["another version", text.replace("@v1", "@v2"), /first line/],
    ["no index", text.replace("index 6\n", ""), /beginning with "index "/],
    ["a leading zero", text.replace("index 6", "index 06"), /the index is not/],
    ["a negative index", text.replace("index 6", "index -6"), /the index is not/],
    ["extra data below the index", text.replace("index 6\n", "index 6\nextra YQ==\n"), /hash 1 of the proof/],
    ["extra data that is none", text.replace("index 6\n", "extra !\nindex 6\n"), /extra data/],
    ["no extra data", text.replace("index 6\n", "extra \nindex 6\n"), /extra data/],
    ["a hash that is none", text.replace(hash, hash.slice(0, -2)), /hash 1 of the proof/],
    [
      "64 hashes",
      text.replace("index 6\n", `extra YQ==\nindex 6\n${`${hash}\n`.repeat(60)}`),
      /at most 63 hashes/,
    ],
    ["no checkpoint", text.slice(0, text.indexOf("\n\n")), /no blank line/],
    ["an empty checkpoint", text.slice(0, text.indexOf("\n\n") + 2), /no blank line separates the text/],
    ["carriage returns", text.replaceAll("\n", "\r\n"), /no blank line/],
    ["nothing", "", /no blank line/],
  ])("with %s is refused", (_, changed, fault) => {
    expect(() => openTlogProof(changed, events[index]!, { log })).toThrow(MalformedNote);
    expect(() => openTlogProof(changed, events[index]!, { log })).toThrow(fault);
  });

  test("with any changed character is refused, without a crash", () => {
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), fc.integer({ min: 1, max: 127 }), (at, change) => {
        const other = String.fromCharCode(text.charCodeAt(at) ^ change);
        try {
          openTlogProof(text.slice(0, at) + other + text.slice(at + 1), events[index]!, { log });
        } catch (error) {
          expect([MalformedNote, UnverifiedNote, ProofError]).toContain((error as Error).constructor);
          return;
        }
        expect.unreachable("it was believed");
      }),
      { numRuns: scaled(1_000, 10) },
    );
  });
});

describe("a log's request to a witness", () => {
  test("is parsed from the specification's example", () => {
    const example = `old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

${SOFA}`;
    const parsed = parseAddCheckpoint(example);
    expect(parsed).toMatchObject({ old_size: 20_852_014, checkpoint: SOFA });
    expect(parsed.proof).toHaveLength(4);
    expect(formatAddCheckpoint(parsed)).toBe(example);
    expect(parseAddCheckpoint(formatAddCheckpoint({ old_size: 0, proof: [], checkpoint: note }))).toEqual({
      old_size: 0,
      proof: [],
      checkpoint: note,
    });
  });

  test.each([
    ["no size", `\n\n${note}`, /beginning with "old "/],
    ["half a size", `old 1.5\n\n${note}`, /old size/],
    ["a hash that is none", `old 1\nabc\n\n${note}`, /hash 1/],
    ["no checkpoint", "old 1\n", /no blank line/],
  ])("with %s is refused", (_, text, fault) => {
    expect(() => parseAddCheckpoint(text)).toThrow(fault);
  });
});
