/** Trust policies, against the text of c2sp.org/tlog-policy: files that it allows and forbids, and planted checkpoints. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { formatCheckpoint } from "../../src/anchoring/checkpoint.ts";
import {
  cosignText,
  formatNote,
  formatVerifierKey,
  mlDsaSign,
  type NoteSignature,
  signText,
  verifierKey,
} from "../../src/anchoring/note.ts";
import { judgeCheckpoint, MalformedPolicy, meetsQuorum, parsePolicy } from "../../src/anchoring/policy.ts";
import { mlDsaKey } from "../../src/standards/ml-dsa.ts";
import { signerOf } from "./signers.ts";

const ORIGIN = "log.example/main";
const seedOf = (name: string) => createHash("sha256").update(`seed of ${name}`).digest();
const ML_DSA = new Map<string, ReturnType<typeof mlDsaKey>>();
const mlDsaOf = (name: string) => {
  const known = ML_DSA.get(name) ?? mlDsaKey(seedOf(name));
  ML_DSA.set(name, known);
  return known;
};

/** A signer under one of the three types. */
type Party = { name: string; type: "ed25519" | "cosignature/v1" | "ml-dsa-44" };

const keyOf = ({ name, type }: Party) =>
  verifierKey(name, type, type === "ml-dsa-44" ? mlDsaOf(name).public_key : signerOf(name).public_key);
const vkey = (party: Party) => formatVerifierKey(keyOf(party));

const LOG: Party = { name: ORIGIN, type: "ed25519" };
const PQ_LOG: Party = { name: ORIGIN, type: "ml-dsa-44" };
const OTHER_LOG: Party = { name: "other.example/main", type: "ed25519" };
const witness = (n: number): Party => ({
  name: `w${n}.example`,
  type: n % 3 === 0 ? "ml-dsa-44" : "cosignature/v1",
});

const SIGNED = new Map<string, NoteSignature>();

/** Each is made once: ML-DSA takes milliseconds. */
function signature(text: string, party: Party): NoteSignature {
  const key = JSON.stringify([text, party]);
  const made = SIGNED.get(key) ?? sign(text, party, 1_790_000_000);
  SIGNED.set(key, made);
  return made;
}

function sign(text: string, { name, type }: Party, time: number): NoteSignature {
  if (type === "ed25519") return signText(text, name, signerOf(name));
  return type === "ml-dsa-44"
    ? mlDsaSign(text, name, mlDsaOf(name), time)
    : cosignText(text, name, signerOf(name), time);
}

const textOf = (size: number, origin = ORIGIN) =>
  formatCheckpoint({
    origin,
    size,
    root: createHash("sha256").update(`root ${size}`).digest(),
    extensions: [],
  });

const file = (...lines: string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(""));

const [W1, W2, W3, W4, W5, W6] = [1, 2, 3, 4, 5, 6].map(witness) as [
  Party,
  Party,
  Party,
  Party,
  Party,
  Party,
];
const LOGS = [`log ${vkey(LOG)}`, `log ${vkey(PQ_LOG)} https://log.example/`];
const WITNESSES = [W1, W2, W3, W4, W5, W6].map((one, n) => `witness X${n + 1} ${vkey(one)}`);

describe("a policy file", () => {
  test("has logs, witnesses, groups and one quorum, with comments, blanks and tabs", () => {
    const policy = parsePolicy(
      file(
        "# a comment",
        "",
        " \t",
        ...LOGS,
        ...WITNESSES.slice(0, 3),
        "\tgroup  g 2\tX1 X2 X3 ",
        "quorum g",
        WITNESSES[3]!,
      ),
    );
    expect(policy.logs.map(({ key, url }) => [key.type, url])).toEqual([
      ["ed25519", undefined],
      ["ml-dsa-44", "https://log.example/"],
    ]);
    expect(policy.witnesses.map(({ name }) => name)).toEqual(["X1", "X2", "X3", "X4"]);
    expect(policy.groups).toEqual([{ name: "g", least: 2, members: ["X1", "X2", "X3"] }]);
    expect(policy.quorum).toBe("g");
  });

  test("may have no logs, no witnesses, and names that are not UTF-8", () => {
    expect(parsePolicy(file("quorum none"))).toEqual({ logs: [], witnesses: [], groups: [], quorum: null });
    const opaque = Buffer.concat([
      Buffer.from(`witness K ${vkey(W1)}\nwitness `),
      Buffer.of(0xff),
      Buffer.from(` ${vkey(W2)}\nquorum K\n`),
    ]);
    expect(parsePolicy(opaque).witnesses.map(({ name }) => name)).toEqual(["K", "\xff"]);
    expect(
      parsePolicy(file(`witness K ${vkey(W1)}`, `witness \u212a ${vkey(W2)}`, "quorum K")).witnesses,
    ).toHaveLength(2);
  });

  test.each<[string, Buffer, RegExp]>([
    ["no quorum", file(...WITNESSES), /no quorum/],
    ["two quorums", file("quorum none", "quorum none"), /line 2: there is a quorum/],
    ["an unknown quorum", file("quorum X1", WITNESSES[0]!), /line 1: no earlier line defines/],
    ["a group of later names", file("group g any X1", WITNESSES[0]!, "quorum g"), /line 1/],
    ["a group of itself", file("group g any g", "quorum none"), /line 1/],
    ["a group of none", file("group g any none", "quorum g"), /line 1/],
    ["an empty group", file("group g any", "quorum none"), /line 1: a group line/],
    ["a member twice", file(WITNESSES[0]!, "group g any X1 X1", "quorum g"), /member twice/],
    [
      "a member of two groups",
      file(WITNESSES[0]!, "group g any X1", "group h any X1", "quorum g"),
      /line 3: "X1" is a member twice/,
    ],
    ["k of 0", file(WITNESSES[0]!, "group g 0 X1", "quorum g"), /from 1 to 1/],
    ["k above n", file(WITNESSES[0]!, "group g 2 X1", "quorum g"), /from 1 to 1/],
    ["k in hex", file(WITNESSES[0]!, "group g 0x1 X1", "quorum g"), /from 1 to 1/],
    ["a name twice", file(WITNESSES[0]!, `witness X1 ${vkey(W2)}`, "quorum none"), /defined already/],
    [
      "a group with a witness's name",
      file(WITNESSES[0]!, "group X1 any X1", "quorum none"),
      /defined already/,
    ],
    ["a witness none", file(`witness none ${vkey(W1)}`, "quorum none"), /defined already/],
    ["a log twice", file(LOGS[0]!, LOGS[0]!, "quorum none"), /line 2: another line has the public key/],
    [
      "a log's key under two names",
      file(
        LOGS[0]!,
        `log ${formatVerifierKey(verifierKey("x", "ed25519", signerOf(ORIGIN).public_key))}`,
        "quorum none",
      ),
      /public key/,
    ],
    [
      "a witness's key under two names",
      file(
        WITNESSES[0]!,
        `witness Y ${formatVerifierKey(verifierKey("y", "cosignature/v1", signerOf(W1.name).public_key))}`,
        "quorum none",
      ),
      /public key/,
    ],
    ["a log's key as a witness", file(`witness Y ${vkey(LOG)}`, "quorum none"), /not a witness's/],
    [
      "a wrong key id",
      file(LOGS[0]!.replace(/\+[0-9a-f]{8}\+/, "+00000000+"), "quorum none"),
      /line 1: the id/,
    ],
    ["an unknown keyword", file("Log x", "quorum none"), /is not log/],
    ["a keyword of objects", file("constructor x", "quorum none"), /is not log/],
    ["a word too many", file("quorum none none"), /line 1/],
    ["a missing newline", Buffer.from("quorum none"), /newline/],
    ["a carriage return", Buffer.from("quorum none\r\n"), /control character 13/],
    ["a delete character", Buffer.from("# \x7f\nquorum none\n"), /control character 127/],
  ])("with %s is refused", (_, bytes, fault) => {
    expect(() => parsePolicy(bytes)).toThrow(MalformedPolicy);
    expect(() => parsePolicy(bytes)).toThrow(fault);
  });

  test("may have 32 logs, witnesses and groups", () => {
    const parties = Array.from(
      { length: 32 },
      (_, n) => ({ name: `n${n}.example`, type: "cosignature/v1" }) as Party,
    );
    const logs = parties.map((one) => `log ${vkey({ ...one, type: "ed25519" })}`);
    const witnesses = parties.map((one, n) => `witness X${n} ${vkey(one)}`);
    const groups = parties.map((_, n) => `group g${n} any X${n}`);
    expect(parsePolicy(file(...logs, ...witnesses, ...groups, "quorum g31")).groups).toHaveLength(32);
  });
});

const POLICIES: { lines: string[]; demands: (by: ReadonlySet<number>) => boolean }[] = [
  { lines: ["quorum none"], demands: () => true },
  { lines: ["quorum X3"], demands: (by) => by.has(3) },
  { lines: ["group g any X1 X2 X3", "quorum g"], demands: (by) => [1, 2, 3].some((n) => by.has(n)) },
  { lines: ["group g all X1 X6", "quorum g"], demands: (by) => by.has(1) && by.has(6) },
  {
    lines: ["group a 2 X1 X2 X3", "group b any X4 X5 X6", "group c all a b", "quorum c"],
    demands: (by) => [1, 2, 3].filter((n) => by.has(n)).length >= 2 && [4, 5, 6].some((n) => by.has(n)),
  },
];

/** Each plant says what the text demands; the program below makes 40 for each of the five policies. */
type Plant = { signed: string; note: string; valid: boolean };

function plants({ demands }: (typeof POLICIES)[number]): Plant[] {
  const sets = Array.from({ length: 28 }, (_, n) =>
    [1, 2, 3, 4, 5, 6].filter((w) => ((n * 37 + 11) >> (w - 1)) & 1),
  );
  const noteOf = (text: string, ...parts: NoteSignature[]) => formatNote({ text, signatures: parts });
  const whole = sets.map((set, n): Plant => {
    const text = textOf(100 + (n % 4));
    const log = n % 2 ? PQ_LOG : LOG;
    const lines = [log, ...set.map(witness)].map((party) => signature(text, party));
    return {
      signed: `${log.type} and ${set.join(" ") || "nobody"}`,
      note: noteOf(text, ...lines),
      valid: demands(new Set(set)),
    };
  });
  const all = [1, 2, 3, 4, 5, 6].map(witness);
  const text = textOf(500);
  const lines = all.map((party) => signature(text, party));
  const log = signature(text, LOG);
  const broken = (line: NoteSignature, at: number) => ({
    ...line,
    bytes: Buffer.from(line.bytes.map((byte, n) => (n === at ? byte ^ 1 : byte))),
  });
  const stranger = signature(text, { name: "stranger.example", type: "cosignature/v1" });
  const extended = `${text}extension\n`;
  const odd: Plant[] = [
    { signed: "witnesses alone", note: noteOf(text, ...lines), valid: false },
    { signed: "another log", note: noteOf(text, signature(text, OTHER_LOG), ...lines), valid: false },
    {
      signed: "a key of this log for another origin",
      note: noteOf(
        textOf(5, "other.example/main"),
        signText(textOf(5, "other.example/main"), ORIGIN, signerOf(ORIGIN)),
      ),
      valid: false,
    },
    { signed: "a wrong signature of the log", note: noteOf(text, broken(log, 3), ...lines), valid: false },
    {
      signed: "a wrong cosignature",
      note: noteOf(text, log, ...lines.slice(0, 5), broken(lines[5]!, 20)),
      valid: false,
    },
    {
      signed: "a cosignature with another time",
      note: noteOf(text, log, ...lines.slice(1), broken(lines[0]!, 7)),
      valid: false,
    },
    {
      signed: "a cosignature of another text",
      note: noteOf(text, log, signature(textOf(501), W1), ...lines.slice(1)),
      valid: false,
    },
    {
      signed: "everybody and a stranger",
      note: noteOf(text, log, stranger, ...lines),
      valid: demands(new Set([1, 2, 3, 4, 5, 6])),
    },
    {
      signed: "a stranger under a witness's name",
      note: noteOf(text, log, { ...stranger, name: W1.name }),
      valid: demands(new Set()),
    },
    {
      signed: "one witness six times",
      note: noteOf(text, log, ...Array(6).fill(lines[0])),
      valid: demands(new Set([1])),
    },
    {
      signed: "both keys of the log",
      note: noteOf(text, log, signature(text, PQ_LOG), ...lines),
      valid: demands(new Set([1, 2, 3, 4, 5, 6])),
    },
    {
      signed: "a checkpoint with an extension",
      note: noteOf(extended, ...[LOG, W1, W3, W4, W6].map((one) => signature(extended, one))),
      valid: demands(new Set([1, 3, 4, 6])),
    },
  ];
  return [...whole, ...odd];
}

test("200 planted checkpoints get the verdicts that the text demands", () => {
  const verdicts = POLICIES.flatMap((one) => {
    const policy = parsePolicy(file(...LOGS, ...WITNESSES, ...one.lines));
    return plants(one).map(({ signed, note, valid }) => ({
      signed,
      valid,
      judged: judgeCheckpoint(note, policy),
    }));
  });
  expect(verdicts).toHaveLength(200);
  expect(verdicts.filter(({ valid, judged }) => judged.valid !== valid)).toEqual([]);
  const counted = verdicts.filter(({ valid }) => valid).length;
  expect([counted > 50, counted < 150]).toEqual([true, true]);
});

test("a group counts its members alone, whatever a witness is called", () => {
  const policy = parsePolicy(
    file(...WITNESSES.slice(0, 2), "group all all X1", "group any any all X2", "quorum any"),
  );
  expect(meetsQuorum(policy, ["X2"])).toBe(true);
  expect(meetsQuorum(policy, [])).toBe(false);
});
