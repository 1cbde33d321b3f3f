import { ORIGIN } from "../eventstore/tampering.ts";
import { type EvidenceLine, keyOf, type NoteSigner, type Pack } from "./pack-builder.ts";
import {
  A_HASH,
  evidenceIn,
  flipped,
  inNote,
  KEY,
  note,
  type PackTampering,
  type PartName,
  strip,
  tampered,
  tree,
} from "./pack-tampering.ts";
import { LOG, WITNESS } from "./vectors.ts";

const OTHER: NoteSigner = { ...LOG, signer: WITNESS.signer };
const ELSEWHERE: NoteSigner = { ...LOG, name: "x/y/z" };
const COSIGNING: NoteSigner = { ...LOG, type: 4 };
const setKey = (pack: Pack, key: string) => void (evidenceIn(pack, "key").key = key);
const setNotes = (pack: Pack, of: (size: number) => string) =>
  [4, 7, 9].map((size, n) => inNote(pack, () => of(size), n));
const NO_KEY = { held: { key: undefined } };

export const keyCases: PackTampering[] = [
  tampered(
    "whole",
    "a key line that is not a key",
    { signature: 4 },
    /unknown key: "x"/,
    (pack) => setKey(pack, "x"),
    NO_KEY,
  ),
  tampered(
    "whole",
    "the key line of another key",
    { signature: 4 },
    /no known key/,
    (pack) => setKey(pack, keyOf(OTHER)),
    NO_KEY,
  ),
  tampered(
    "whole",
    "the key line of another log",
    { signature: 4 },
    /not a key of this log/,
    (pack) => setKey(pack, keyOf(ELSEWHERE)),
    NO_KEY,
  ),
  tampered(
    "whole",
    "the key line with another id",
    { signature: 4 },
    /unknown key/,
    (pack) => setKey(pack, KEY.replace(/\+[0-9a-f]{8}\+/, "+00000000+")),
    NO_KEY,
  ),
  tampered(
    "whole",
    "the key line stripped, none given",
    { signature: 4 },
    /unknown key/,
    (pack) => strip(pack, "key"),
    NO_KEY,
  ),
  tampered(
    "whole",
    "a second key line",
    { format: 1 },
    /too late/,
    (pack) => void pack.evidence.unshift({ evidence: "key", key: KEY }),
    NO_KEY,
  ),
  tampered(
    "whole",
    "cosigned under the log's own name instead of signed",
    { signature: 4 },
    /not a key of this log/,
    (pack) => {
      setKey(pack, keyOf(COSIGNING));
      setNotes(pack, (size) => note(size, { signers: [COSIGNING] }));
    },
    NO_KEY,
  ),
  tampered("whole", "another key given", { signature: 4 }, /no known key/, () => {}, {
    held: { key: keyOf(OTHER) },
  }),
  tampered(
    "whole",
    "the key given under another log's name",
    { signature: 4 },
    /not a key of this log/,
    () => {},
    { held: { key: keyOf(ELSEWHERE) } },
  ),
  tampered(
    "whole",
    "everything signed by another key, which the pack names",
    { signature: 4 },
    /no known key/,
    (pack) => {
      setKey(pack, keyOf(OTHER));
      setNotes(pack, (size) => note(size, { signers: [OTHER] }));
    },
  ),
  tampered("whole", "no checkpoint, and a key given", { signature: 0 }, /no checkpoint/, (pack) =>
    strip(pack, "checkpoint"),
  ),
];

/** The first note, of 4 events, changed: in an export of all and of a part. */
const noted =
  (name: string, fails: Record<string, number>, says: RegExp, change: (text: string) => string) =>
  (part: PartName): PackTampering =>
    tampered(part, `a note: ${name}`, fails, says, (pack) => inNote(pack, change));

const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64");

const NOTES = [
  noted("another origin in its text", { signature: 0 }, /it is of "log.test\/main\/e2"/, (text) =>
    text.replace("/e1\n", "/e2\n"),
  ),
  noted("another size", { signature: 5, tree: 5 }, /is wrong/, (text) => text.replace("\n4\n", "\n5\n")),
  noted("another root", { signature: 4, tree: 4 }, /is wrong/, (text) =>
    text.replace(tree.root(4).toString("base64"), Buffer.from(A_HASH, "hex").toString("base64")),
  ),
  noted("another byte in its signature", { signature: 4 }, /is wrong/, (text) =>
    text.replace(/(— log\S* .{40})(.)/, (_, before, letter) => `${before}${letter === "A" ? "B" : "A"}`),
  ),
  noted("another key id", { signature: 4 }, /no known key/, (text) =>
    text.replace(/(— \S+ )(\S+)\n/, (_, name, data) => {
      const bytes = Buffer.from(data, "base64");
      bytes[0]! ^= 1;
      return `${name}${bytes.toString("base64")}\n`;
    }),
  ),
  noted("another name on its signature", { signature: 4 }, /no known key/, (text) =>
    text.replace(`— ${ORIGIN} `, "— x/y/z "),
  ),
  noted("signed by another key", { signature: 4 }, /no known key/, () => note(4, { signers: [OTHER] })),
  noted("signed by the log under another name", { signature: 4 }, /no known key/, () =>
    note(4, { signers: [ELSEWHERE] }),
  ),
  noted("signed by a witness alone", { signature: 4 }, /no known key/, () => note(4, { signers: [WITNESS] })),
  noted("cosigned by the log's key", { signature: 4 }, /no known key/, () =>
    note(4, { signers: [COSIGNING] }),
  ),
  noted("of another log", { signature: 0 }, /it is of "x/, () =>
    note(4, { origin: "x/y/z", signers: [ELSEWHERE] }),
  ),
  noted("of another log, by the key of this one", { signature: 0 }, /it is of "x/, () =>
    note(4, { origin: "x/y/z" }),
  ),
  noted(
    "a right and a wrong signature of the log",
    { signature: 4 },
    /is wrong/,
    (text) => `${text}${/— log\S* \S+\n/.exec(note(7))![0]}`,
  ),
  noted("no signature", { signature: 0 }, /signature/, (text) => text.slice(0, text.indexOf("—"))),
  noted("no blank line", { signature: 0 }, /no blank line/, (text) => text.replace("\n\n", "\n")),
  noted("nothing", { signature: 0 }, /no blank line/, () => ""),
  noted("a root of 31 bytes, signed", { signature: 0 }, /root is not base64/, () =>
    note(4, { root: Buffer.alloc(31, 7) }),
  ),
  noted("a root of 33 bytes, signed", { signature: 0 }, /root is not base64/, () =>
    note(4, { root: Buffer.alloc(33, 7) }),
  ),
  noted("a further line, signed", { signature: 0 }, /more lines/, () =>
    note(4, { root: tree.root(4) }).replace("\n\n", `\n${base64(8)}\n\n`),
  ),
  noted("a fork of the same size, signed", { tree: 4 }, /have two roots|root of these/, () =>
    note(4, { root: Buffer.from(A_HASH, "hex") }),
  ),
  noted("a size of 2^53, signed", { signature: 0 }, /2\^53/, () => note(2 ** 53, { root: tree.root(4) })),
  noted("2^53 - 1 events, signed, joined to nothing", { tree: 2 ** 53 - 1 }, /nothing joins/, () =>
    note(2 ** 53 - 1, { root: tree.root(4) }),
  ),
];

export const noteCases: PackTampering[] = [
  ...NOTES.flatMap((changed) => [changed("whole"), changed("part")]),
  tampered("whole", "two signed roots of one size beyond the end", { tree: 12 }, /two roots/, (pack) => {
    pack.evidence.splice(
      4,
      0,
      ...[A_HASH, flipped(A_HASH)].map(
        (root): EvidenceLine => ({
          evidence: "checkpoint",
          note: note(12, { root: Buffer.from(root, "hex") }),
        }),
      ),
    );
    pack.evidence.push({ evidence: "consistency", first: 9, second: 12, proof: [A_HASH] });
  }),
  ...(["whole", "part", "stream"] as const).map((part) =>
    tampered(
      part,
      "a checkpoint beyond the end that nothing joins",
      { tree: part === "stream" ? 4 : 12 },
      /nothing joins|two roots/,
      (pack) => {
        const at = pack.evidence.indexOf(evidenceIn(pack, "checkpoint"));
        pack.evidence.splice(at, 0, {
          evidence: "checkpoint",
          note: note(12, { root: Buffer.from(A_HASH, "hex") }),
        });
      },
    ),
  ),
];

/** Evidence lines out of their order, and in places of others. */
export const orderCases: PackTampering[] = [
  tampered("whole", "a checkpoint behind the anchors", { format: 1 }, /too late/, (pack) => {
    const [line] = pack.evidence.splice(pack.evidence.indexOf(evidenceIn(pack, "checkpoint", 2)), 1);
    pack.evidence.push(line!);
  }),
  tampered(
    "whole",
    "the key behind the rest",
    { format: 1 },
    /too late/,
    (pack) => void pack.evidence.push(pack.evidence.shift()!),
  ),
  ...(["key", "checkpoint", "anchor"] as const).map((kind) =>
    tampered(
      "whole",
      `${kind} evidence among the events`,
      { format: 4 },
      /too late/,
      (pack) => void pack.events.splice(3, 0, { line: JSON.stringify(evidenceIn(pack, kind)) }),
    ),
  ),
  tampered(
    "whole",
    "evidence behind the last line",
    { format: 10 },
    /follows the last line/,
    (pack) => void (pack.end += `\n${JSON.stringify(evidenceIn(pack, "checkpoint"))}`),
  ),
  tampered(
    "whole",
    "evidence of no known kind",
    { format: 1 },
    /evidence/,
    (pack) => void pack.evidence.push({ evidence: "constructor" } as unknown as EvidenceLine),
  ),
  tampered(
    "whole",
    "a member more",
    { format: 1 },
    /evidence/,
    (pack) => void Object.assign(evidenceIn(pack, "anchor"), { more: 1 }),
  ),
];
