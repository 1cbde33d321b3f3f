/**
 * Trust policies of logs (c2sp.org/tlog-policy): which logs and witnesses count, and which of them must sign a
 * checkpoint. Names are octets, so a file is read as Latin-1 and only its keys as UTF-8.
 */
import { openCheckpoint, parseCheckpoint, type VerifiedCheckpoint } from "./checkpoint.ts";
import {
  type KeyType,
  MalformedNote,
  parseNote,
  parseVerifierKey,
  UnverifiedNote,
  type VerifierKey,
} from "./note.ts";

/** The file violates the format. The message begins with the line's number, if a line is at fault. */
export class MalformedPolicy extends Error {
  override readonly name = "MalformedPolicy";
}

export type PolicyWitness = { name: string; key: VerifierKey; url: string | undefined };

/** `least` of the members must have witnessed; a member is a witness's or an earlier group's name. */
export type PolicyGroup = { name: string; least: number; members: readonly string[] };

/** `quorum`: a witness's or a group's name, or null if no cosignature is required. */
export type Policy = {
  logs: readonly { key: VerifierKey; url: string | undefined }[];
  witnesses: readonly PolicyWitness[];
  groups: readonly PolicyGroup[];
  quorum: string | null;
};

const NONE = "none";
const LOG_TYPES: readonly KeyType[] = ["ed25519", "cosignature/v1", "ml-dsa-44"];
const WITNESS_TYPES: readonly KeyType[] = ["cosignature/v1", "ml-dsa-44"];

/** The text recommends at least 32 of each. */
const MOST = 1_000;

type Draft = {
  logs: Policy["logs"][number][];
  witnesses: PolicyWitness[];
  groups: PolicyGroup[];
  quorum: string | null | undefined;
  members: Set<string>;
};

/** Throws MalformedPolicy. */
export function parsePolicy(file: Uint8Array): Policy {
  const bad = file.findIndex((octet) => octet !== 9 && octet !== 10 && (octet < 0x20 || octet === 0x7f));
  if (bad >= 0)
    throw new MalformedPolicy(
      `octet ${bad + 1} is the control character ${file[bad]}; only tab and newline are allowed`,
    );
  const lines = Buffer.from(file).toString("latin1").split("\n");
  if (lines.pop() !== "") throw new MalformedPolicy("the last line does not end with a newline");
  const draft: Draft = { logs: [], witnesses: [], groups: [], quorum: undefined, members: new Set() };
  for (const [n, line] of lines.entries()) {
    try {
      takeLine(draft, line);
    } catch (error) {
      if (!(error instanceof MalformedPolicy || error instanceof MalformedNote)) throw error;
      throw new MalformedPolicy(`line ${n + 1}: ${error.message}`);
    }
  }
  const { logs, witnesses, groups, quorum } = draft;
  if (quorum === undefined)
    throw new MalformedPolicy("there is no quorum line: `quorum none` demands no witness");
  return { logs, witnesses, groups, quorum };
}

function takeLine(draft: Draft, line: string): void {
  const [word, ...rest] = line.split(/[ \t]+/).filter((item) => item !== "");
  if (word === undefined || word.startsWith("#")) return;
  if (draft.logs.length + draft.witnesses.length + draft.groups.length >= MOST)
    throw new MalformedPolicy(`a policy has at most ${MOST} logs, witnesses and groups`);
  const take = Object.hasOwn(TAKERS, word) ? TAKERS[word] : undefined;
  if (!take) throw new MalformedPolicy(`${shown(word)} is not log, witness, group or quorum`);
  take(draft, rest);
}

function takeLog(draft: Draft, [vkey, url, ...more]: string[]): void {
  if (vkey === undefined || more.length > 0) throw new MalformedPolicy("a log line is `log <vkey> [<url>]`");
  const key = keyOf(vkey, LOG_TYPES, draft.logs);
  draft.logs.push({ key, url });
}

function takeWitness(draft: Draft, [name, vkey, url, ...more]: string[]): void {
  if (name === undefined || vkey === undefined || more.length > 0)
    throw new MalformedPolicy("a witness line is `witness <name> <vkey> [<url>]`");
  const key = keyOf(vkey, WITNESS_TYPES, draft.witnesses);
  define(draft, name);
  draft.witnesses.push({ name, key, url });
}

function takeGroup(draft: Draft, [name, count, ...members]: string[]): void {
  if (name === undefined || count === undefined || members.length === 0)
    throw new MalformedPolicy("a group line is `group <name> <all|any|k> <name>...`");
  for (const member of members) {
    if (!isDefined(draft, member)) throw new MalformedPolicy(`no earlier line defines ${shown(member)}`);
    if (draft.members.has(member)) throw new MalformedPolicy(`${shown(member)} is a member twice`);
    draft.members.add(member);
  }
  define(draft, name);
  draft.groups.push({ name, least: leastOf(count, members.length), members });
}

function leastOf(count: string, members: number): number {
  if (count === "all") return members;
  if (count === "any") return 1;
  const least = /^[1-9]\d{0,5}$/.test(count) ? Number(count) : 0;
  if (least < 1 || least > members)
    throw new MalformedPolicy(`${shown(count)} is not all, any or a number from 1 to ${members}`);
  return least;
}

function takeQuorum(draft: Draft, [name, ...more]: string[]): void {
  if (name === undefined || more.length > 0) throw new MalformedPolicy("a quorum line is `quorum <name>`");
  if (draft.quorum !== undefined) throw new MalformedPolicy("there is a quorum line already");
  if (name !== NONE && !isDefined(draft, name))
    throw new MalformedPolicy(`no earlier line defines ${shown(name)}`);
  draft.quorum = name === NONE ? null : name;
}

const TAKERS: { readonly [word: string]: ((draft: Draft, items: string[]) => void) | undefined } = {
  log: takeLog,
  witness: takeWitness,
  group: takeGroup,
  quorum: takeQuorum,
};

function define(draft: Draft, name: string): void {
  if (name === NONE || isDefined(draft, name)) throw new MalformedPolicy(`${shown(name)} is defined already`);
}

const isDefined = ({ witnesses, groups }: Draft, name: string): boolean =>
  [...witnesses, ...groups].some((one) => one.name === name);

/** Throws MalformedPolicy and MalformedNote. The same key under two names would count twice. */
function keyOf(vkey: string, types: readonly KeyType[], known: readonly { key: VerifierKey }[]): VerifierKey {
  const octets = Buffer.from(vkey, "latin1");
  const text = octets.toString("utf8");
  if (!Buffer.from(text).equals(octets)) throw new MalformedPolicy("the name of a key is not UTF-8");
  const key = parseVerifierKey(text);
  if (!types.includes(key.type))
    throw new MalformedPolicy(`the key of ${key.name} is a log's, not a witness's`);
  if (known.some((one) => one.key.public_key.equals(key.public_key)))
    throw new MalformedPolicy(`another line has the public key of ${key.name}`);
  return key;
}

const shown = (octets: string) => JSON.stringify(Buffer.from(octets, "latin1").toString("utf8"));

/** The octets of a name as people wrote it. */
export const nameOf = (octets: string): string => Buffer.from(octets, "latin1").toString("utf8");

/** True if these witnesses, by their policy names, meet the quorum. */
export function meetsQuorum({ groups, quorum }: Policy, witnessed_by: Iterable<string>): boolean {
  if (quorum === null) return true;
  const witnessed = new Set(witnessed_by);
  for (const { name, least, members } of groups)
    if (members.filter((member) => witnessed.has(member)).length >= least) witnessed.add(name);
  return witnessed.has(quorum);
}

/** `witnessed_by`: policy names, also of witnesses that the quorum does not need. */
export type PolicyVerdict =
  | { valid: true; checkpoint: VerifiedCheckpoint; witnessed_by: string[] }
  | { valid: false; reason: string };

/** `logs`: the keys that count if the policy lists no log. */
export function judgeCheckpoint(
  note: string,
  policy: Policy,
  logs: readonly VerifierKey[] = [],
): PolicyVerdict {
  const known = policy.logs.length > 0 ? policy.logs.map(({ key }) => key) : logs;
  const witnesses = policy.witnesses.map(({ key }) => key);
  try {
    const { origin } = parseCheckpoint(parseNote(note).text);
    const log = known.filter(({ name }) => name === origin);
    if (log.length === 0) return { valid: false, reason: `the policy has no log ${JSON.stringify(origin)}` };
    const checkpoint = openCheckpoint(note, { log, witnesses });
    const witnessed_by = policy.witnesses
      .filter(({ key }) =>
        checkpoint.cosignatures.some(({ key_id, witness }) => key.id === key_id && key.name === witness),
      )
      .map(({ name }) => name);
    return meetsQuorum(policy, witnessed_by)
      ? { valid: true, checkpoint, witnessed_by }
      : { valid: false, reason: quorumReason(policy, witnessed_by) };
  } catch (error) {
    if (error instanceof MalformedNote || error instanceof UnverifiedNote)
      return { valid: false, reason: error.message };
    throw error;
  }
}

function quorumReason({ quorum }: Policy, witnessed_by: readonly string[]): string {
  const by =
    witnessed_by.length > 0 ? `cosigned by ${witnessed_by.map(nameOf).join(", ")} alone` : "not cosigned";
  return `the checkpoint is ${by}: the quorum ${nameOf(quorum!)} is not met`;
}
