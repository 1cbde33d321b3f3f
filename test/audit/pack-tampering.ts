/**
 * The tamper matrix over packs: each case is a faulty pack, its failing verdicts with the first bad position, and
 * the auditor's knowledge. This file has the common parts, and the cases on events; evidence has separate files.
 */
import { hash } from "node:crypto";
import type { ReceiptedEvent } from "../../src/audit/evidence-state.ts";
import type { Fault } from "../../src/audit/fault.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { commitHash, exportLines, type LogRow, NO_REQUEST_HASH, rehash } from "../eventstore/log-builder.ts";
import { cases as exportCases, log, ORIGIN, type Tampering } from "../eventstore/tampering.ts";
import {
  type EvidenceLine,
  keyOf,
  linesOf,
  type NoteSigner,
  noteOf,
  type Pack,
  type PackPlan,
  packOf,
  treeOf,
} from "./pack-builder.ts";
import type { World } from "./scripted-chain.ts";
import { LOG, PACKS, planOf, recordedAnchors } from "./vectors.ts";

/** The auditor's knowledge; keys and notes as text, for both verifiers. */
export type Held = {
  key?: string | undefined;
  origin?: string;
  heads?: { position: number; hash_prefix: string }[];
  checkpoints?: string[];
  events?: ReceiptedEvent[];
  witnesses?: string[];
  /** The text of a trust policy. */
  policy?: string;
  network?: string;
  contract?: Hex;
  signer?: Hex;
  tiles?: Fault;
  denials?: string[];
  treeHeads?: { name: string; size: number; root: Buffer }[];
  /** The answers of the auditor's endpoint. */
  world?: World;
};

export type PackTampering = {
  name: string;
  lines: string[];
  held: Held;
  /** Verdict and first bad position: an event's position (in a stream: version), or a tree head's size. */
  fails: Record<string, number>;
  says?: RegExp;
  /** The cases where the second verifier rightly differs, and why. */
  second?: { fails: Record<string, number>; because: string };
};

export const anchors = recordedAnchors();
export const rows: readonly LogRow[] = log();
export const treeOfRows = treeOf;
export const tree = treeOf([...rows]);
export const A_HASH = hash("sha256", "another");
export const KEY = keyOf(LOG);

/** A note of the log over its true root by default. */
export const note = (
  size: number,
  { root = tree.root(size) as Uint8Array, origin = ORIGIN, signers = [LOG] as NoteSigner[] } = {},
): string => noteOf(origin, { size, root }, signers);

export type PartName = "whole" | "part" | "stream";
const PARTS: Record<PartName, Partial<PackPlan>> = {
  whole: PACKS["pack.ndjson"]!,
  part: PACKS["part-pack.ndjson"]!,
  stream: PACKS["stream-pack.ndjson"]!,
};

export const truePack = (part: PartName, plan: Partial<PackPlan> = {}): Pack =>
  packOf({ ...planOf(structuredClone(anchors)), ...PARTS[part], ...plan });

export const evidenceIn = <Kind extends EvidenceLine["evidence"]>(pack: Pack, kind: Kind, at = 0) =>
  pack.evidence.filter((line): line is Extract<EvidenceLine, { evidence: Kind }> => line.evidence === kind)[
    at
  ]!;

export const strip = (pack: Pack, ...kinds: EvidenceLine["evidence"][]): void => {
  pack.evidence = pack.evidence.filter(({ evidence }) => !kinds.includes(evidence));
};

export const flipped = (hash: string): string => `${hash.startsWith("0") ? "1" : "0"}${hash.slice(1)}`;

/** The text of a note changed in place. */
export const inNote = (pack: Pack, change: (note: string) => string, at = 0): void => {
  const line = evidenceIn(pack, "checkpoint", at);
  line.note = change(line.note);
};

/** Other events with a pack's evidence. */
export function withEvents(pack: Pack, others: LogRow[]): void {
  const lines = exportLines(ORIGIN, others, others[0]!.position > 1 ? rowBefore(others) : undefined);
  pack.events = lines.slice(1, -1).map((line) => ({ line }));
  pack.header = lines[0]!;
  pack.end = lines.at(-1)!;
}
const rowBefore = (others: LogRow[]) => rows[others[0]!.position - 2]!.log_hash;

export type Change = (pack: Pack) => void;

export type Options = { plan?: Partial<PackPlan>; held?: Held; second?: PackTampering["second"] };

/** By default the auditor knows the log's key. */
export function tampered(
  part: PartName,
  name: string,
  fails: Record<string, number>,
  says: RegExp | undefined,
  change: Change,
  { plan, held, second }: Options = {},
): PackTampering {
  const pack = truePack(part, plan);
  change(pack);
  return {
    name: `${part}: ${name}`,
    lines: linesOf(pack),
    held: { key: KEY, ...held },
    fails,
    says,
    second,
  };
}

/** The size of the first tree head that has the event at a position. */
const headOver = (position: number) => [4, 7, 9].find((size) => size >= position)!;

const SIGNED_ONLY = { anchors: [] };

// Every column of every row, with valid evidence.
const OTHER_VALUE: { [Name in keyof LogRow]: (row: LogRow) => LogRow[Name] } = {
  position: ({ position }) => position + 41,
  tenant: ({ tenant }) => `${tenant}x`,
  stream_id: ({ stream_id }) => `${stream_id}x`,
  version: ({ version }) => version + 5,
  event_id: ({ event_id }) => event_id.replace("019b", "019c"),
  type: ({ type }) => `${type}x`,
  schema_version: ({ schema_version }) => schema_version + 1,
  recorded_at_us: ({ recorded_at_us }) => recorded_at_us - 1,
  payload: () => '{"n":77}',
  meta: () => "{}",
  payload_hash: () => A_HASH,
  meta_hash: () => A_HASH,
  prev_hash: () => A_HASH,
  event_hash: () => A_HASH,
  log_hash: () => A_HASH,
  idem_key: () => "k9",
  request_hash: () => A_HASH,
  commit_size: () => 3,
};
const OUTSIDE_THE_EVENT = ["idem_key", "request_hash", "commit_size"];

function columnFails(name: keyof LogRow, row: LogRow): Record<string, number> {
  const { position: at, recorded_at_us, commit_size } = row;
  const before = rows[at - 2]?.recorded_at_us;
  if (OUTSIDE_THE_EVENT.includes(name)) return { commits: at };
  if (name === "position") return { order: at, ...(at === 9 ? { completeness: 10 } : {}) };
  if (name === "log_hash") return { order: at, ...(at === 9 ? { completeness: 10 } : {}) };
  if (name === "event_hash") return { chain: at, order: at, tree: headOver(at) };
  if (name === "meta" && commit_size !== null) return { chain: at, commits: at };
  if (name === "recorded_at_us" && before === recorded_at_us) return { chain: at, order: at };
  return { chain: at };
}

const columns = rows.flatMap((row) =>
  (Object.keys(OTHER_VALUE) as (keyof LogRow)[]).map((name) =>
    tampered(
      "whole",
      `${name} of event ${row.position}`,
      columnFails(name, row),
      undefined,
      (pack) => {
        const event = pack.events[row.position - 1]!;
        event.line = JSON.stringify({ ...row, [name]: OTHER_VALUE[name](row) });
      },
      { plan: SIGNED_ONLY },
    ),
  ),
);

const ofStream = rows.filter(({ tenant, stream_id }) => tenant === "acme" && stream_id === "order");
const streamColumns = ofStream.flatMap((row) =>
  (Object.keys(OTHER_VALUE) as (keyof LogRow)[])
    .filter((name) => name !== "position" && name !== "log_hash")
    .map((name) => {
      const { version: at } = row;
      const isLast = at === ofStream.length;
      const fails: Record<string, number> = OUTSIDE_THE_EVENT.includes(name)
        ? { commits: at }
        : {
            chain: at,
            ...(name === "meta" ? { commits: at } : {}),
            ...(name === "event_hash" ? { tree: at, ...(isLast ? { completeness: at + 1 } : {}) } : {}),
            // The inclusion line after it has another version than the event.
            ...(name === "version" ? { format: at + 1, ...(isLast ? { completeness: at + 1 } : {}) } : {}),
          };
      const change: Change = (pack) => {
        const { position: _, log_hash: __, ...line } = { ...row, [name]: OTHER_VALUE[name](row) };
        pack.events[at - 1]!.line = JSON.stringify(line);
      };
      return tampered("stream", `${name} of version ${at}`, fails, undefined, change, { plan: SIGNED_ONLY });
    }),
);

/** Moved events with the evidence of the original ones. */
const moved = (
  name: string,
  fails: Record<string, number>,
  says: RegExp,
  change: (rows: LogRow[]) => LogRow[],
) => tampered("whole", name, fails, says, (pack) => withEvents(pack, change(log())), { plan: SIGNED_ONLY });

export const rewritten = (change: (rows: LogRow[]) => unknown): LogRow[] => {
  const own = log();
  change(own);
  return rehash(ORIGIN, own);
};

const moves: PackTampering[] = [
  moved("two events swapped", { chain: 5, order: 5, tree: 7 }, /, expected/, (own) => {
    [own[4], own[7]] = [own[7]!, own[4]!];
    return own;
  }),
  moved("an event in the middle deleted", { chain: 7, order: 5, commits: 5, tree: 7 }, /, expected/, (own) =>
    own.filter(({ position }) => position !== 5),
  ),
  moved("the last event deleted", { commits: 9, tree: 9 }, /nothing joins/, (own) => own.slice(0, -1)),
  moved("an event twice", { chain: 6, order: 6, commits: 6, tree: 7 }, /, expected/, (own) => [
    ...own.slice(0, 5),
    ...own.slice(4),
  ]),
  moved("an event inserted, everything rewritten", { tree: 7 }, /root of these 7/, () =>
    rewritten((own) => {
      for (const row of own.slice(4)) row.position++;
      own.splice(4, 0, {
        ...own[3]!,
        ...{ position: 5, stream_id: "new", version: 1, event_id: own[3]!.event_id.replace("019b", "019c") },
        ...{ meta: `{"commit":"${commitHash("", NO_REQUEST_HASH, 1).toString("hex")}"}` },
        ...{ idem_key: null, request_hash: null, commit_size: 1 },
      });
    }),
  ),
  moved("an event moved to another stream, everything rewritten", { tree: 9 }, /root of these 9/, () =>
    rewritten((own) => Object.assign(own[8]!, { stream_id: "order", version: 4 })),
  ),
  moved("an event moved to another tenant, everything rewritten", { tree: 9 }, /root of these 9/, () =>
    rewritten((own) => Object.assign(own[8]!, { tenant: "acme", version: 3 })),
  ),
  moved("a payload changed, everything rewritten", { tree: 4 }, /root of these 4/, () =>
    rewritten((own) => Object.assign(own[1]!, { payload: "{}" })),
  ),
  moved("cut behind the first checkpoint", { tree: 7 }, /nothing joins/, (own) => own.slice(0, 6)),
];

/** A log that signs a changed export: the same verdicts fail as without evidence. */
function signedAsItIs({ lines, options, fails, name }: Tampering): PackTampering | undefined {
  const header = JSON.parse(lines[0]!) as { origin: string; first_position?: number };
  const first = header.first_position;
  const end = lines.findIndex((line) => line.startsWith('{"end"'));
  const events = lines.slice(1, end < 0 ? undefined : end).flatMap((line): { event_hash: string }[] => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
  if (first === undefined || events.length === 0) return undefined;
  const all = [...rows.slice(0, first - 1), ...events] as LogRow[];
  const signer: NoteSigner = { ...LOG, name: header.origin };
  const size = all.length;
  const evidence: EvidenceLine[] = [{ evidence: "key", key: keyOf(signer) }];
  if (first > 1) evidence.push(evidenceIn(truePack("part", { first }), "frontier"));
  evidence.push({
    evidence: "checkpoint",
    note: noteOf(header.origin, { size, root: treeOf(all).root(size) }, [signer]),
  });
  const { origin, heads, stream, max_streams } = options ?? {};
  const { canonical: _, ...others } = fails;
  const isOwn = Boolean(stream ?? max_streams) || heads?.some(({ epoch }) => epoch !== undefined);
  return {
    name: `signed as it is: ${name}`,
    lines: [lines[0]!, ...evidence.map((line) => JSON.stringify(line)), ...lines.slice(1)],
    held: { key: undefined, ...(options as Held), origin, heads },
    fails,
    second:
      isOwn || "canonical" in fails
        ? {
            fails: isOwn ? {} : others,
            because: "RFC 8785 form, limits and expected streams are the first's",
          }
        : undefined,
  };
}

export const eventCases: PackTampering[] = [
  ...columns,
  ...streamColumns,
  ...moves,
  ...exportCases.flatMap((one) => signedAsItIs(one) ?? []),
];
