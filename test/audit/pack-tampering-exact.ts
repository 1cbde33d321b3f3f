/**
 * The tamper matrix, the part that docs/vectors/forged.json holds for further verifiers: forgeries that a verifier missed,
 * and what two of them could read differently in docs/event-log.md.
 */
import {
  fromRlp,
  type Hex,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559,
  toRlp,
} from "viem";
import { anchorCall, logIdOf } from "../../src/domain/anchoring/contract.ts";
import { exportLines } from "../eventstore/log-builder.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import { madeUpAnchor, mirrored } from "./made-up-state.ts";
import {
  type AnchorLine,
  consistencyLine,
  type EvidenceLine,
  keyOf,
  type NoteSigner,
} from "./pack-builder.ts";
import {
  A_HASH,
  anchors,
  type Change,
  evidenceIn,
  inNote,
  note,
  type PackTampering,
  type PartName,
  rows,
  strip,
  tampered,
  tree,
} from "./pack-tampering.ts";
import type { Variation } from "./pack-variations.ts";

const [, eight] = anchors as [AnchorLine, AnchorLine];
const signed = parseTransaction(eight.transaction as `0x02${string}`) as TransactionSerializableEIP1559;
const { r, s, yParity, v: _, ...unsigned } = signed;
const replacing =
  (anchor: Partial<AnchorLine>): Change =>
  (pack) =>
    void Object.assign(evidenceIn(pack, "anchor", 1), anchor);

/** An anchor in a state of its own, and a call under the signature of an earlier transaction. */
function forgedAnchor(size: number, root: string): AnchorLine {
  const items = fromRlp(eight.header, "hex") as Hex[];
  const head = { log_id: logIdOf(ORIGIN), size: BigInt(size), root: `0x${root}` as Hex };
  const { data } = anchorCall(head, []).call;
  const transaction = serializeTransaction({ ...unsigned, data }, { r: r!, s: s!, yParity: yParity! });
  return {
    ...eight,
    ...madeUpAnchor({ size, root, origin: ORIGIN, at: Number(items[11]) }, { ...eight, items }),
    transaction,
  };
}

const padded = (n: number): Hex => {
  const items = fromRlp(`0x${eight.transaction.slice(4)}`, "hex") as Hex[];
  return `0x02${toRlp(items.with(n, `0x00${items[n]!.slice(2)}`)).slice(2)}`;
};

const anchorCases = [
  tampered(
    "whole",
    "an anchor that a stranger made up: its own state, an earlier transaction's signature",
    { anchor: 9 },
    /is signed by/,
    replacing(forgedAnchor(9, tree.root(9).toString("hex"))),
  ),
  tampered(
    "whole",
    "an anchor that a stranger made up, in place of the only one, nobody's key asked for",
    { anchor: 9 },
    /is signed by/,
    (pack) => {
      strip(pack, "key", "checkpoint", "anchor");
      pack.evidence.push(forgedAnchor(9, tree.root(9).toString("hex")));
    },
    { held: { key: undefined } },
  ),
  tampered(
    "whole",
    "an anchor's signature with its s in the upper half",
    { anchor: 8 },
    /not an EIP-1559/,
    replacing({
      transaction: serializeTransaction(unsigned, { r: r!, ...mirrored({ s: s!, yParity: yParity! }) }),
    }),
  ),
  ...[0, 1, 4, 9, 10, 11].map((n) =>
    tampered(
      "whole",
      `a zero before item ${n} of an anchor's transaction`,
      { anchor: 8 },
      /not an EIP-1559/,
      replacing({ transaction: padded(n) }),
    ),
  ),
];

/** The point at infinity for a key: its signature of anything is itself and zero (RFC 8032, section 5.1.7). */
const weakSigner = (first: number, rest: string): NoteSigner => {
  const key = Buffer.from(`${first.toString(16).padStart(2, "0")}${rest}`, "hex");
  const signature = Buffer.alloc(64).fill(1, 0, 1);
  return {
    ...{ name: ORIGIN, type: 1 },
    signer: {
      kid: "weak",
      public_key: { kty: "OKP", crv: "Ed25519", x: key.toString("base64url") },
      sign: () => signature,
    },
  };
};
const weakKeys: [string, NoteSigner][] = [
  ["of order 1", weakSigner(1, "00".repeat(31))],
  ["of order 1, spelt with a sign", weakSigner(1, `${"00".repeat(30)}80`)],
  ["of order 1, spelt beyond the field", weakSigner(0xee, `${"ff".repeat(30)}7f`)],
];

const keyCases = weakKeys.map(([name, signer]) =>
  tampered(
    "whole",
    `a log key ${name}`,
    { signature: 4 },
    /unknown key/,
    (pack) => {
      evidenceIn(pack, "key").key = keyOf(signer);
      for (const [n, size] of [4, 7, 9].entries()) inNote(pack, () => note(size, { signers: [signer] }), n);
    },
    { held: { key: undefined } },
  ),
);

const NOTHING = "format canonical chain order commits tree signature anchor completeness".split(" ");
const atZero = (names: string[]) => Object.fromEntries(names.map((name) => [name, 0]));

/** A header that is none: nothing can be checked. */
const headless = (name: string, from: string | RegExp, to: string) =>
  tampered(
    "whole",
    `a header with ${name}`,
    atZero(NOTHING),
    /no header|header/,
    (pack) => {
      const header = pack.header.replace(from, to);
      if (header === pack.header) throw new Error(`${name} changes nothing`);
      pack.header = header;
    },
    {
      second: {
        fails: atZero(NOTHING.filter((one) => one !== "canonical")),
        because: "it does not judge RFC 8785 form",
      },
    },
  );

const headerCases = [
  headless("another format", "tallystick-log/1", "tallystick-log/2"),
  headless("a year of six digits", '"2026-', '"+002026-'),
  headless("a time without milliseconds", /(\d\d)\.\d{3}Z/, "$1Z"),
  headless("a day that no calendar has", /"2026-\d\d-\d\d/, '"2026-02-30'),
  headless("a time in another zone", /\d\dZ"/, '+01:00"'),
  headless("log_id 0", '"log_id":1', '"log_id":0'),
  headless("log_id 2^31", '"log_id":1', '"log_id":2147483648'),
  headless("an exponent", '"log_id":1', '"log_id":1e0'),
  headless("a fraction", '"first_position":1', '"first_position":1.0'),
  headless("an escape that RFC 8785 does not write", "log.test/", "log.test\\/"),
  headless("an empty origin", ORIGIN, ""),
];

const eventLine = (name: string, from: string | RegExp, to: string, more: Record<string, number> = {}) =>
  tampered(
    "whole",
    `an event line with ${name}`,
    { format: 9, completeness: 9, tree: 9, commits: 9, ...more },
    /line/,
    (pack) => {
      const event = pack.events[8]!;
      const line = event.line.replace(from, to);
      if (line === event.line) throw new Error(`${name} changes nothing`);
      event.line = line;
    },
  );

const eventLineCases = [
  eventLine("a position of 0", '"position":9', '"position":0'),
  eventLine("a leading zero", '"position":9', '"position":09'),
  eventLine("an exponent", '"position":9', '"position":9e0'),
  eventLine("a fraction", '"version":1', '"version":1.0'),
  eventLine("version 0", '"version":1', '"version":0'),
  eventLine("schema_version 2^31", '"schema_version":1', '"schema_version":2147483648'),
  eventLine("recorded_at_us of minus zero", /"recorded_at_us":\d+/, '"recorded_at_us":-0'),
  eventLine("commit_size 0", '"commit_size":null', '"commit_size":0'),
  eventLine("a UUID in capitals", "019b76da", "019B76DA"),
  eventLine("a UUID that is none", "019b76da", "zzzzzzzz"),
];

const inEvidence = (kind: EvidenceLine["evidence"], name: string, bent: (line: string) => string) =>
  tampered("whole", `${kind} evidence with ${name}`, { format: 1 }, /line/, (pack) => {
    const line = JSON.stringify(evidenceIn(pack, kind));
    if (bent(line) === line) throw new Error(`${name} changes nothing`);
    pack.header += `\n${bent(line)}`;
  });

const evidenceCases = [
  inEvidence("checkpoint", "an escape that RFC 8785 does not write", (line) => line.replace("/", "\\/")),
  inEvidence("anchor", "a fraction", (line) => line.replace('"size":4', '"size":4.0')),
  inEvidence("anchor", "a size of 0", (line) => line.replace('"size":4', '"size":0')),
  inEvidence("anchor", "a leading zero in its network", (line) => line.replace("eip155:", "eip155:0")),
  inEvidence("anchor", "capitals in its contract", (line) =>
    line.replace(/(?<="contract":"0x)\w+/, (address) => address.toUpperCase()),
  ),
  inEvidence("anchor", "half a byte in its header", (line) => line.replace('"header":"0x', '"header":"0x0')),
];

const GENESIS = (JSON.parse(exportLines(ORIGIN, log())[0]!) as { previous_log_hash: string })
  .previous_log_hash;

const otherCases: PackTampering[] = [
  tampered(
    "stream",
    "a stream without events",
    { completeness: 1 },
    /no event/,
    (pack) => {
      pack.evidence = [];
      pack.events = [];
      pack.end = pack.end.replace(/"events":3/, '"events":0').replace('"version":3', '"version":0');
      pack.end = pack.end.replace(/[0-9a-f]{64}/, GENESIS);
    },
    { held: { key: undefined } },
  ),
  tampered(
    "whole",
    "a head held where another stands, and one beyond the end",
    { completeness: 5 },
    /history was rewritten/,
    () => {},
    {
      held: {
        heads: [
          { position: 12, hash_prefix: A_HASH },
          { position: 5, hash_prefix: A_HASH },
        ],
      },
    },
  ),
  tampered(
    "whole",
    "a wrong checkpoint of more events before one of fewer",
    { signature: 4 },
    /is wrong/,
    (pack) => {
      const spoilt = (text: string) =>
        text.replace(/(— log\S* .{40})(.)/, (_, before, letter) => `${before}${letter === "A" ? "B" : "A"}`);
      inNote(pack, spoilt, 0);
      inNote(pack, spoilt, 2);
      pack.evidence = pack.evidence.toSpliced(1, 3, ...pack.evidence.slice(1, 4).toReversed());
    },
  ),
];

export const exactCases: PackTampering[] = [
  ...anchorCases,
  ...keyCases,
  ...headerCases,
  ...eventLineCases,
  ...evidenceCases,
  ...otherCases,
];

const green = (
  part: PartName,
  name: string,
  reach: RegExp,
  change: Change,
  held: PackTampering["held"] = {},
): Variation => ({ ...tampered(part, name, {}, undefined, change, { held }), reach });

export const exactVariations: Variation[] = [
  green("whole", "a signature of the log that is there twice", /^anchored to 8, signed to 9$/, (pack) =>
    inNote(pack, (text) => `${text}${/— log\S* \S+\n/.exec(text)![0]}`),
  ),
  green(
    "whole",
    "all evidence stripped, a key given and a checkpoint held",
    /^proven by the auditor's checkpoint up to 7, unproven beyond 7: without a head/,
    (pack) => void (pack.evidence = []),
    { checkpoints: [note(7)] },
  ),
  green(
    "part",
    "a smaller tree head, joined to a size in the middle",
    /anchored to 8, signed to 9$/,
    (pack) => {
      strip(pack, "consistency");
      pack.evidence.push(consistencyLine([...rows], 4, 8));
    },
  ),
  green("whole", "every JSON escape in an event line", /^anchored to 8, signed to 9$/, (pack) => {
    const event = pack.events[0]!;
    event.line = event.line.replace('"acme"', '"\\u0061cm\\u0065"').replace("key:0", "key\\u003a0");
  }),
];
