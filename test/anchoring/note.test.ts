/**
 * Signed notes, compared with the vectors of Go's sumdb/note and the examples of c2sp.org, and with arbitrary input.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cosignText,
  formatNote,
  formatSignatureLine,
  formatVerifierKey,
  MalformedNote,
  openNote,
  parseNote,
  parseSignatureLine,
  parseVerifierKey,
  signText,
  UnverifiedNote,
  verifierKey,
} from "../../src/anchoring/note.ts";
import { scaled } from "../support/scale.ts";
import { signerOf } from "./signers.ts";

// golang.org/x/mod, sumdb/note/note_test.go
const PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const PETER_SEED = Buffer.from("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz", "base64").subarray(1);
const ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop";
// The Go checksum database's: cmd/go/internal/modfetch/key.go
const GO = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8";
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const PETER_LINE =
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
const ENOCH_LINE =
  "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n";
const NOTE = `${TEXT}\n${PETER_LINE}${ENOCH_LINE}`;
const [peter, enoch] = [parseVerifierKey(PETER), parseVerifierKey(ENOCH)];

describe("verifier keys", () => {
  test.each([PETER, ENOCH, GO])("%s is parsed and formatted unchanged", (text) => {
    const key = parseVerifierKey(text);
    expect(key.type).toBe("ed25519");
    expect(formatVerifierKey(key)).toBe(text);
    expect(verifierKey(key.name, "ed25519", key.public_key)).toEqual(key);
  });

  test("a signer's key verifies its notes; a cosigner's key has another id", () => {
    const signer = signerOf(PETER_SEED);
    expect(formatVerifierKey(verifierKey("PeterNeumann", "ed25519", signer.public_key))).toBe(PETER);
    const witness = verifierKey("PeterNeumann", "cosignature/v1", signer.public_key);
    expect(witness.id).not.toBe(peter.id);
    expect(parseVerifierKey(formatVerifierKey(witness))).toEqual(witness);
  });

  test("no part of a key and no change to one is a key", () => {
    for (let begin = 0; begin < PETER.length; begin++)
      for (let end = begin; end <= PETER.length; end++)
        if (end - begin < PETER.length)
          expect(() => parseVerifierKey(PETER.slice(begin, end))).toThrow(MalformedNote);
    for (let at = 0; at < PETER.length; at++) {
      const next = String.fromCharCode(PETER.charCodeAt(at) + 1);
      expect(() => parseVerifierKey(PETER.slice(0, at) + next + PETER.slice(at + 1))).toThrow(MalformedNote);
    }
  });

  test.each([
    [
      "a key too long",
      "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
      /35|base64/,
    ],
    ["an unknown type", "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", /type 101/],
    ["another's id", PETER.replace("c74f20a3", "af0cfe78"), /is c74f20a3, not af0cfe78/],
    ["another's name", PETER.replace("PeterNeumann", "EnochRoot"), /the id of this key of EnochRoot/],
    ["no name", PETER.replace("PeterNeumann", ""), /not a key name/],
    ["a name with a space", PETER.replace("PeterNeumann", "Peter Neumann"), /not a key name/],
    ["a line too many", `${PETER}\n`, /not a verifier key/],
    ["nothing", "", /not a verifier key/],
  ])("%s is refused", (_, text, fault) => {
    expect(() => parseVerifierKey(text)).toThrow(MalformedNote);
    expect(() => parseVerifierKey(text)).toThrow(fault);
  });

  /** RFC 8032, section 5.1: the eight points of small order by their y, either sign; and y of 2^255 - 19 and more. */
  test.each([
    `01${"00".repeat(31)}`,
    `01${"00".repeat(30)}80`,
    `ec${"ff".repeat(30)}7f`,
    "00".repeat(32),
    `${"00".repeat(31)}80`,
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    `ee${"ff".repeat(30)}7f`,
    `f0${"ff".repeat(30)}7f`,
  ])("the key %s, under which anybody can sign, is refused", (hex) => {
    expect(() => verifierKey("a", "ed25519", Buffer.from(hex, "hex"))).toThrow(/small order or misspelt/);
  });

  test.each(["", "a b", "a+b", "a\u2003b", "a\u0085b", "a\u0000b", "a\nb", "\ud800"])(
    "%j is not a valid name",
    (name) => {
      expect(() => verifierKey(name, "ed25519", peter.public_key)).toThrow(MalformedNote);
    },
  );
});

describe("signing", () => {
  test("makes the same note as Go", () => {
    const signature = signText(TEXT, "PeterNeumann", signerOf(PETER_SEED));
    expect(formatNote({ text: TEXT, signatures: [signature] })).toBe(`${TEXT}\n${PETER_LINE}`);
  });

  test.each([
    ["that does not end", "abc"],
    ["of nothing", ""],
    ["with NUL", "a\u0000\n"],
    ["with a tab", "a\tb\n"],
    ["with a carriage return", "a\r\n"],
    ["with half a character", "\ud800\n"],
  ])("refuses a text %s", (_, text) => {
    expect(() => signText(text, "a", signerOf("a"))).toThrow(MalformedNote);
    expect(() => cosignText(text, "a", signerOf("a"), 1)).toThrow(MalformedNote);
  });

  test.each([-1, 0.5, 2 ** 53, Number.NaN])("refuses the time %d", (timestamp) => {
    expect(() => cosignText("a\n", "a", signerOf("a"), timestamp)).toThrow(RangeError);
  });
});

describe("reading", () => {
  test("gives the text and the keys that signed it, and ignores the others", () => {
    expect(openNote(NOTE, [peter])).toEqual({ text: TEXT, signatures: [{ key: peter }] });
    expect(openNote(NOTE, [enoch, peter]).signatures).toEqual([{ key: peter }, { key: enoch }]);
    const namesake = verifierKey("PeterNeumann", "ed25519", signerOf("somebody else").public_key);
    expect(openNote(NOTE, [namesake, enoch]).signatures).toEqual([{ key: enoch }]);
  });

  // The example in c2sp.org/tlog-checkpoint is a true head of the Go checksum database under another name, signature
  // included.
  test("accepts a tree head of the Go checksum database", () => {
    const text = "go.sum database tree\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
    const line =
      "— sum.golang.org Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";
    const key = parseVerifierKey(GO);
    expect(openNote(`${text}\n${line}`, [key])).toEqual({ text, signatures: [{ key }] });
    expect(() => openNote(`${text.replace("63", "64")}\n${line}`, [key])).toThrow(UnverifiedNote);
  });

  test("counts a repeated signature once, and refuses a wrong one next to a right one", () => {
    expect(openNote(NOTE + PETER_LINE, [peter]).signatures).toEqual([{ key: peter }]);
    const wrong = PETER_LINE.replace("x08go/ZJk", "x08go/ZJl");
    expect(() => openNote(NOTE + wrong, [peter])).toThrow(UnverifiedNote);
  });

  test("reads every formatted note", () => {
    expect(formatNote(parseNote(NOTE))).toBe(NOTE);
    expect(formatSignatureLine(parseSignatureLine(ENOCH_LINE.trimEnd()))).toBe(ENOCH_LINE);
  });

  test("accepts blank lines and other alphabets: the example of c2sp.org/signed-note", () => {
    const text =
      "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n";
    const line =
      "— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";
    const { text: read, signatures } = parseNote(`${text}\n${line}`);
    expect(read).toBe(text);
    expect(signatures).toMatchObject([{ name: "quasimodo.example/salvatore", key_id: "367ba04b" }]);
    expect(signatures[0]!.bytes).toHaveLength(64);
  });

  test("accepts more than a hundred signatures", () => {
    const lines = Array.from({ length: 150 }, (_, n) => ENOCH_LINE.replace("EnochRoot", `other${n}`)).join(
      "",
    );
    expect(openNote(`${TEXT}\n${lines}${PETER_LINE}`, [peter]).signatures).toEqual([{ key: peter }]);
  });

  const forms: [string, string, RegExp][] = [
    ["no signatures", TEXT, /no blank line/],
    ["no signature after the blank line", `${TEXT}\n`, /no signature/],
    ["no blank line", TEXT + PETER_LINE, /no blank line/],
    ["a last line that does not end", `${TEXT}\n${PETER_LINE.trimEnd()}`, /does not end/],
    ["a control character", `\u0001${NOTE}`, /control character/],
    ["NUL in the text", NOTE.replace("answer", "ans\0wer"), /control character/],
    ["NUL in a name", NOTE.replace("EnochRoot", "Enoch\0Root"), /control character/],
    ["carriage returns", NOTE.replaceAll("\n", "\r\n"), /control character/],
    ["half a character", `\udfff${NOTE}`, /lone surrogate/],
    ["a name with a space", NOTE.replace("EnochRoot", "Enoch Root"), /is not a signature/],
    ["a name with a plus", NOTE.replace("EnochRoot", "Enoch+Root"), /is not a signature/],
    ["no name", NOTE.replace("— EnochRoot", "— "), /is not a signature/],
    ["a hyphen for a dash", NOTE.replace("— EnochRoot", "- EnochRoot"), /is not a signature/],
    ["another line below", `${NOTE}Unexpected line.\n`, /is not a signature/],
    ["a blank line below", `${NOTE}\n`, /there is no signature/],
    ["base64 with stray bits", NOTE.replace("yBwJnAM=", "yBwJnAN="), /not base64/],
    ["base64 without its end", NOTE.replace("yBwJnAM=", "yBwJnAM"), /not base64/],
    ["base64 for addresses", NOTE.replace("x08go/", "x08go_"), /not base64/],
    ["base64 with a remark", NOTE.replace("yBwJnAM=", "yBwJnAM=!"), /not base64/],
    ["a key id and nothing", `${TEXT}\n${PETER_LINE}— EnochRoot rwz+eA==\n`, /not base64 of a key id and/],
    ["a megabyte too much", `${"a".repeat(1_000_000)}\n${NOTE}`, /at most 1000000/],
    ["nothing", "", /no blank line/],
  ];
  test.each(forms)("refuses %s", (_, note, fault) => {
    expect(() => openNote(note, [peter, enoch])).toThrow(MalformedNote);
    expect(() => openNote(note, [peter, enoch])).toThrow(fault);
  });

  test.each([
    ["no known key", NOTE, [], /no known key/],
    [
      "a known key's wrong signature, though another's is right",
      NOTE.replace("3WWd1RvMc", "3WWd1RvMd"),
      [peter, enoch],
      /EnochRoot\+af0cfe78 is wrong/,
    ],
    ["another text", NOTE.replace("cryptography", "cryptology"), [peter], /PeterNeumann\+c74f20a3 is wrong/],
    ["a signature too long", NOTE.replace("x08go/ZJk", "x08go/ZJkABCD"), [peter], /is wrong/],
    ["a signature under another name", NOTE.replace("EnochRoot", "CarmenSandiego"), [enoch], /no known key/],
    [
      "a signature under another id",
      NOTE.replace("— PeterNeumann x08g", "— PeterNeumann xxxx"),
      [peter],
      /no known key/,
    ],
  ] as const)("does not believe %s", (_, note, keys, fault) => {
    expect(() => openNote(note, keys)).toThrow(UnverifiedNote);
    expect(() => openNote(note, keys)).toThrow(fault);
  });

  test("no changed byte of a signed note is accepted, and none causes a crash", () => {
    const bytes = Buffer.from(`${TEXT}\n${PETER_LINE}`);
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= change;
        const open = () => openNote(changed.toString("utf8"), [peter]);
        try {
          open();
        } catch (error) {
          expect([MalformedNote, UnverifiedNote]).toContain((error as Error).constructor);
          return;
        }
        expect.unreachable("it was believed");
      }),
      { numRuns: scaled(1_000, 10) },
    );
  });

  test("any text and any signers survive a round trip", () => {
    const text = fc.stringMatching(/^[ -~é—\n]{0,40}$/u).map((line) => `${line}\n`);
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9./é-]{1,12}$/u), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(text, names, (body, signers) => {
        const signatures = signers.map((name) => signText(body, name, signerOf(name)));
        const keys = signers.map((name) => verifierKey(name, "ed25519", signerOf(name).public_key));
        const opened = openNote(formatNote({ text: body, signatures }), keys);
        expect(opened).toEqual({ text: body, signatures: keys.map((key) => ({ key })) });
      }),
    );
  });
});

describe("cosignatures", () => {
  const text = "example.com/log\n5\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
  const signer = signerOf("witness");
  const key = verifierKey("witness.example/w1", "cosignature/v1", signer.public_key);
  const signature = cosignText(text, key.name, signer, 1_679_315_147);
  const note = (bytes: Buffer) => formatNote({ text, signatures: [{ ...signature, bytes }] });

  test("have their time, signed before the text", () => {
    expect(openNote(note(signature.bytes), [key]).signatures).toEqual([{ key, timestamp: 1_679_315_147 }]);
    const message = Buffer.from(`cosignature/v1\ntime 1679315147\n${text}`);
    expect(signature.bytes.subarray(8)).toEqual(Buffer.from(signer.sign(message)));
    expect(signature.bytes.subarray(0, 8).toString("hex")).toBe("00000000641850cb");
  });

  test.each([
    ["another time", (bytes: Buffer) => bytes.fill(1, 7, 8)],
    ["a time past 2^53", (bytes: Buffer) => bytes.fill(0xff, 0, 8)],
    ["no time", (bytes: Buffer) => bytes.subarray(8)],
    ["a byte alone", (bytes: Buffer) => bytes.subarray(0, 1)],
    ["a byte more", (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0)])],
  ])("with %s are wrong", (_, change) => {
    expect(() => openNote(note(change(Buffer.from(signature.bytes))), [key])).toThrow(/w1\+\w{8} is wrong/);
  });

  test("of a time beyond 2^53 are refused even with a valid signature", () => {
    const message = Buffer.from(`cosignature/v1\ntime ${2n ** 53n}\n${text}`);
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(2n ** 53n);
    expect(() => openNote(note(Buffer.concat([time, signer.sign(message)])), [key])).toThrow("is wrong");
  });

  test("are not signatures of a log, and vice versa", () => {
    const asLog = verifierKey(key.name, "ed25519", signer.public_key);
    expect(() => openNote(note(signature.bytes), [asLog])).toThrow("no known key");
    const relabelled = formatNote({ text, signatures: [{ ...signature, key_id: asLog.id }] });
    expect(() => openNote(relabelled, [asLog])).toThrow("is wrong");
  });
});
