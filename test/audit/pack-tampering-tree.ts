/** The tamper matrix on frontiers and proofs of the tree, and on rewritten histories with valid evidence. */
import { exportLines, type LogRow, streamExportLines } from "../eventstore/log-builder.ts";
import { ORIGIN } from "../eventstore/tampering.ts";
import { consistencyLine, type EvidenceLine, inclusionLine, type Pack } from "./pack-builder.ts";
import {
  A_HASH,
  anchors,
  evidenceIn,
  flipped,
  KEY,
  note,
  type PackTampering,
  rewritten,
  rows,
  strip,
  tampered,
  treeOfRows,
  truePack,
  withEvents,
} from "./pack-tampering.ts";

const ALL = [...rows];

const frontiered = (
  name: string,
  fails: Record<string, number>,
  says: RegExp,
  change: (hashes: string[]) => string[],
) =>
  tampered("part", `a frontier: ${name}`, fails, says, (pack) => {
    const line = evidenceIn(pack, "frontier");
    line.hashes = change(line.hashes);
  });

export const frontierCases: PackTampering[] = [
  ...[0, 1].map((n) =>
    frontiered(`another hash ${n}`, { tree: 4 }, /nothing joins/, (hashes) =>
      hashes.map((hash, i) => (i === n ? flipped(hash) : hash)),
    ),
  ),
  frontiered("its hashes the other way round", { tree: 4 }, /nothing joins/, (hashes) => hashes.toReversed()),
  frontiered("a hash more", { tree: 4 }, /nothing joins/, (hashes) => [...hashes, A_HASH]),
  frontiered("a hash less", { tree: 4 }, /nothing joins/, (hashes) => hashes.slice(1)),
  tampered(
    "part",
    "a frontier of another size",
    { tree: 4 },
    /nothing joins/,
    (pack) => void (evidenceIn(pack, "frontier").size = 5),
  ),
  tampered("part", "no frontier", { tree: 4 }, /nothing joins/, (pack) => strip(pack, "frontier")),
  tampered(
    "part",
    "a second frontier",
    { format: 7 },
    /too late/,
    (pack) => void pack.evidence.splice(2, 0, evidenceIn(pack, "frontier")),
  ),
  tampered(
    "whole",
    "a frontier of nothing before all of the log",
    { tree: 0 },
    /only before a part/,
    (pack) => void pack.evidence.splice(1, 0, { evidence: "frontier", size: 0, hashes: [] }),
  ),
  tampered(
    "stream",
    "a frontier before a stream",
    { tree: 6 },
    /only before a part/,
    (pack) => void pack.evidence.splice(1, 0, { evidence: "frontier", size: 6, hashes: [A_HASH, A_HASH] }),
  ),
  tampered(
    "part",
    "no frontier, and the events of the part rewritten",
    { tree: 4 },
    /nothing joins/,
    (pack) => {
      strip(pack, "frontier");
      pack.evidence.push(consistencyLine(ALL, 4, 7), consistencyLine(ALL, 7, 8), consistencyLine(ALL, 8, 9));
      withEvents(pack, rewritten((own) => Object.assign(own[7]!, { payload: "{}" })).slice(6));
    },
  ),
];

type Consistency = Extract<EvidenceLine, { evidence: "consistency" }>;
const linked = (
  part: "part" | "stream",
  name: string,
  at: number,
  says: RegExp,
  change: (line: Consistency) => Partial<Consistency>,
) =>
  tampered(part, `a consistency line: ${name}`, { tree: at }, says, (pack) => {
    const line = evidenceIn(pack, "consistency");
    Object.assign(line, change(line));
  });

/** In the part the line leads from 4 to 6, in the stream from 4 to 7. */
export const linkCases: PackTampering[] = (["part", "stream"] as const).flatMap((part) => [
  ...evidenceLinkHashes(part).map((n) =>
    linked(part, `another hash ${n}`, 4, /nothing joins/, ({ proof }) => ({
      proof: proof.map((hash, i) => (i === n ? flipped(hash) : hash)),
    })),
  ),
  linked(part, "another first size", 4, /nothing joins/, () => ({ first: 3 })),
  linked(part, "another second size", 4, /nothing joins/, () => ({ second: 8 })),
  linked(part, "from none", 4, /nothing joins/, () => ({ first: 0, proof: [] })),
  linked(part, "to itself", 4, /nothing joins/, ({ first }) => ({ second: first, proof: [] })),
  linked(part, "backwards", 4, /cannot extend/, ({ first, second }) => ({ first: second, second: first })),
  linked(part, "a hash more", 4, /nothing joins/, ({ proof }) => ({ proof: [...proof, A_HASH] })),
  linked(part, "a hash less", 4, /nothing joins/, ({ proof }) => ({ proof: proof.slice(1) })),
  linked(part, "no hashes", 4, /nothing joins/, () => ({ proof: [] })),
  tampered(
    part,
    "a consistency line stripped",
    { tree: 4 },
    /nothing joins/,
    (pack) => void pack.evidence.splice(pack.evidence.indexOf(evidenceIn(pack, "consistency")), 1),
  ),
  tampered(
    part,
    "a consistency line more, of sizes that nobody vouches for",
    { tree: 2 ** 53 - 1 },
    /nothing here has/,
    (pack) =>
      void pack.evidence.push({
        evidence: "consistency",
        first: 2 ** 52,
        second: 2 ** 53 - 1,
        proof: [A_HASH],
      }),
  ),
  tampered(
    part,
    "a consistency line among the events",
    { format: part === "part" ? 8 : 2, tree: 4 },
    /too late/,
    (pack) => {
      const line = pack.evidence.splice(pack.evidence.indexOf(evidenceIn(pack, "consistency")), 1)[0]!;
      pack.events.splice(part === "part" ? 1 : 1, 0, { line: JSON.stringify(line) });
    },
  ),
]);

function evidenceLinkHashes(part: "part" | "stream"): number[] {
  const { proof } = consistencyLine(ALL, 4, part === "part" ? 6 : 7) as Consistency;
  return proof.map((_, n) => n);
}

const included = (
  name: string,
  version: number,
  says: RegExp,
  change: (pack: Pack) => unknown,
  fails: Record<string, number> = { tree: version },
) => tampered("stream", `an inclusion line: ${name}`, fails, says, (pack) => void change(pack));
const inclusionAt = (pack: Pack, version: number) => pack.events[version - 1]!.inclusion!;

export const inclusionCases: PackTampering[] = [
  ...[1, 2, 3].flatMap((version) => [
    ...[0, 1].map((n) =>
      included(`another hash ${n} of version ${version}`, version, /another root/, (pack) => {
        const { proof } = inclusionAt(pack, version);
        proof[n] = flipped(proof[n]!);
      }),
    ),
    included(`a hash more of version ${version}`, version, /too long/, (pack) =>
      inclusionAt(pack, version).proof.push(A_HASH),
    ),
    included(`a hash less of version ${version}`, version, /too short|another root/, (pack) =>
      inclusionAt(pack, version).proof.shift(),
    ),
    included(`no hashes of version ${version}`, version, /too short/, (pack) =>
      Object.assign(inclusionAt(pack, version), { proof: [] }),
    ),
    included(`a tree of another size of version ${version}`, version, /./, (pack) =>
      Object.assign(inclusionAt(pack, version), { size: 9 }),
    ),
    included(`an unknown tree of version ${version}`, version, /neither signed nor anchored/, (pack) =>
      Object.assign(inclusionAt(pack, version), { size: 10 }),
    ),
    included(`a position beyond the tree of version ${version}`, version, /there is no leaf/, (pack) =>
      Object.assign(inclusionAt(pack, version), { position: 8 }),
    ),
  ]),
  included("the position of another event", 2, /another root/, (pack) =>
    Object.assign(inclusionAt(pack, 2), { position: 3 }),
  ),
  included("a position that does not rise", 2, /comes after/, (pack) =>
    Object.assign(inclusionAt(pack, 2), { position: 1 }),
  ),
  included("a position of 2^53 - 1", 2, /there is no leaf/, (pack) =>
    Object.assign(inclusionAt(pack, 2), { position: 2 ** 53 - 1 }),
  ),
  included(
    "of another version",
    2,
    /must follow its event/,
    (pack) => Object.assign(inclusionAt(pack, 2), { version: 3 }),
    { format: 3 },
  ),
  included(
    "behind another event",
    1,
    /must follow its event/,
    (pack) => {
      pack.events[0]!.inclusion = inclusionLine(ALL, rows[3]!, 4);
    },
    { format: 2 },
  ),
  included(
    "twice",
    1,
    /must follow its event/,
    (pack) => pack.events.splice(1, 0, { line: JSON.stringify(inclusionAt(pack, 1)) }),
    { format: 2 },
  ),
  included(
    "before the first event",
    1,
    /must follow its event/,
    (pack) => pack.events.unshift({ line: JSON.stringify(inclusionAt(pack, 1)) }),
    { format: 1 },
  ),
  tampered(
    "whole",
    "an inclusion line in the export of a log",
    { format: 2 },
    /must follow its event/,
    (pack) => void (pack.events[0]!.inclusion = inclusionLine(ALL, rows[0]!, 4)),
  ),
  included("of a node for a leaf", 2, /too short/, (pack) => {
    // The two leaves under a node, passed off as the event: only the first hashed byte distinguishes them.
    const line = inclusionAt(pack, 2);
    Object.assign(line, { position: 2, size: 4, proof: line.proof.slice(1) });
  }),
];

/** The log with one event rewritten, and all hashes after it. */
const forgedRows = (at: number): LogRow[] =>
  rewritten((own) => Object.assign(own[at - 1]!, { payload: "{}" }));

/** The first two events of a stream, swapped in the tree that the log signs. */
const disordered = ALL.with(0, rows[3]!).with(3, rows[0]!);

export const rewriteCases: PackTampering[] = [
  tampered(
    "stream",
    "all of another stream under this one's name",
    { chain: 1 },
    /of the stream "order" of tenant "globex"/,
    (pack) => {
      const { events, evidence, end } = truePack("stream", {
        stream: { tenant: "globex", stream_id: "order" },
      });
      Object.assign(pack, { events, evidence, end });
    },
  ),
  tampered(
    "stream",
    "a second event before the first, in a signed tree",
    { tree: 2 },
    /comes after/,
    (pack) => {
      strip(pack, "anchor", "consistency");
      const root = treeOfRows(disordered).root(9);
      pack.evidence = [
        { evidence: "key", key: KEY },
        { evidence: "checkpoint", note: note(9, { root }) },
      ];
      for (const [n, position] of [4, 1, 7].entries()) {
        const row = { ...rows[n]!, version: n + 1, position };
        pack.events[n]!.inclusion = inclusionLine(disordered, row, 9);
      }
    },
  ),
  tampered(
    "whole",
    "three rewritten events, and the empty tree to join the true anchors",
    { tree: 4 },
    /nothing joins/,
    (pack) => {
      const own = forgedRows(2).slice(0, 2);
      strip(pack, "checkpoint");
      withEvents(pack, own);
      for (const second of [4, 8])
        pack.evidence.push({ evidence: "consistency", first: 0, second, proof: [] });
    },
    { held: { key: undefined } },
  ),
  tampered(
    "whole",
    "the last event rewritten, the true anchor joined by what comes before it",
    { tree: 8 },
    /nothing joins/,
    (pack) => {
      withEvents(pack, forgedRows(7).slice(0, 7));
      strip(pack, "checkpoint");
      pack.evidence.push(consistencyLine(ALL, 4, 8));
    },
    { held: { key: undefined } },
  ),
  tampered(
    "stream",
    "a rewritten stream in a signed fork that shares the first event with the true anchors",
    { tree: 4 },
    /nothing joins/,
    (pack) => {
      const own = forgedRows(4);
      const fork = treeOfRows(own);
      const signed = (size: number): EvidenceLine => ({
        evidence: "checkpoint",
        note: note(size, { root: fork.root(size) }),
      });
      pack.evidence = [
        { evidence: "key", key: KEY },
        ...[signed(1), signed(9)],
        ...anchors,
        ...[consistencyLine(ALL, 1, 4), consistencyLine(ALL, 1, 8), consistencyLine(own, 1, 9)],
      ];
      const lines = streamExportLines(ORIGIN, own, "acme", "order");
      const mine = own.filter(({ tenant, stream_id }) => tenant === "acme" && stream_id === "order");
      pack.events = mine.map((row, n) => ({ line: lines[n + 1]!, inclusion: inclusionLine(own, row, 9) }));
      pack.end = lines.at(-1)!;
    },
  ),
  tampered(
    "stream",
    "a signed empty tree to join a fork to the true anchors",
    { tree: 4 },
    /nothing joins/,
    (pack) => {
      const own = forgedRows(1);
      const fork = treeOfRows(own);
      const signed = (size: number): EvidenceLine => ({
        evidence: "checkpoint",
        note: note(size, { root: fork.root(size) }),
      });
      pack.evidence = [
        { evidence: "key", key: KEY },
        ...[signed(0), signed(9)],
        ...anchors,
        ...[4, 8, 9].map(
          (second): EvidenceLine => ({ evidence: "consistency", first: 0, second, proof: [] }),
        ),
      ];
      const lines = streamExportLines(ORIGIN, own, "acme", "order");
      const mine = own.filter(({ tenant, stream_id }) => tenant === "acme" && stream_id === "order");
      pack.events = mine.map((row, n) => ({ line: lines[n + 1]!, inclusion: inclusionLine(own, row, 9) }));
      pack.end = lines.at(-1)!;
    },
  ),
  tampered("whole", "no event at all, and tree heads of more", { tree: 4 }, /nothing joins/, (pack) => {
    const lines = exportLines(ORIGIN, []);
    Object.assign(pack, { events: [], end: lines.at(-1)! });
  }),
];
