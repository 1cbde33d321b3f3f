/**
 * Valid packs, written from docs/event-log.md: rows of the log builder, notes signed by test keys, proofs by the
 * RFC's own recursion, anchors read from a real chain. Every part can be replaced before the lines are written, for
 * forgeries.
 */
import { createHash } from "node:crypto";
import { type Hex, hexToBigInt, keccak256, numberToHex, toRlp } from "viem";
import type { Signer } from "../../src/core/model/ports/signer.ts";
import { ANCHOR_ADDRESS, anchorCall, headSlots, logIdOf } from "../../src/domain/anchoring/contract.ts";
import { rfc9162 } from "../anchoring/rfc9162.ts";
import type { Workshop } from "../chain/fixture.ts";
import { exportLines, type LogRow, streamExportLines } from "../eventstore/log-builder.ts";

export type AnchorLine = {
  evidence: "anchor";
  size: number;
  root: string;
  network: string;
  contract: Hex;
  signer: Hex;
  transaction: Hex;
  header: Hex;
  account_proof: Hex[];
  root_proof: Hex[];
  numbers_proof: Hex[];
};

export type EvidenceLine =
  | { evidence: "key"; key: string }
  | { evidence: "frontier"; size: number; hashes: string[] }
  | { evidence: "checkpoint"; note: string }
  | AnchorLine
  | { evidence: "consistency"; first: number; second: number; proof: string[] };

export type InclusionLine = {
  evidence: "inclusion";
  version: number;
  position: number;
  size: number;
  proof: string[];
};

/** A key that signs notes under a name, as a log (type 1) or as a witness (type 4). */
export type NoteSigner = { name: string; type: 1 | 4; signer: Signer };

/** A pack's parts; all but `rows` have a default, or are left out. */
export type PackPlan = {
  origin: string;
  /** The whole log, for any exported part: the tree covers these. */
  rows: LogRow[];
  /** The first position exported. */
  first?: number;
  /** For the export of one stream. */
  stream?: { tenant: string; stream_id: string };
  log?: NoteSigner;
  witnesses?: NoteSigner[];
  /** Sizes of signed checkpoints. */
  checkpoints?: number[];
  anchors?: AnchorLine[];
};

/** The parts of a pack: change any, then `linesOf` it. */
export type Pack = {
  header: string;
  evidence: EvidenceLine[];
  /** Each event line, and the lines after it. */
  events: { line: string; inclusion?: InclusionLine }[];
  end: string;
};

const hex = (hashes: Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString("hex"));

/** The RFC's definitions over the event hashes of rows. */
export const treeOf = (rows: LogRow[]) =>
  rfc9162(rows.map(({ event_hash }) => Buffer.from(event_hash, "hex")));

const typed = ({ type, signer }: NoteSigner) =>
  Buffer.concat([Buffer.of(type), Buffer.from(signer.public_key.x, "base64url")]);

const idOf = (one: NoteSigner) =>
  createHash("sha256").update(`${one.name}\n`).update(typed(one)).digest().subarray(0, 4);

/** C2SP signed-note's verifier key. */
export const keyOf = (one: NoteSigner) =>
  `${one.name}+${idOf(one).toString("hex")}+${typed(one).toString("base64")}`;

const COSIGNED_AT = 1_767_225_600;

/** A checkpoint, signed by the log and cosigned by witnesses (C2SP tlog-cosignature). */
export function noteOf(
  origin: string,
  { size, root }: { size: number; root: Uint8Array },
  signers: NoteSigner[],
): string {
  const text = `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
  const lines = signers.map((one) => {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(COSIGNED_AT));
    const cosigned = `cosignature/v1\ntime ${COSIGNED_AT}\n${text}`;
    const signature = one.signer.sign(Buffer.from(one.type === 1 ? text : cosigned));
    const data = Buffer.concat([idOf(one), ...(one.type === 1 ? [] : [time]), signature]);
    return `— ${one.name} ${data.toString("base64")}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** The roots of the perfect subtrees of `size` leaves, the largest first. */
export function frontierOf(rows: LogRow[], size: number): string[] {
  const bits = [...size.toString(2)].map((bit, i, all) => (bit === "1" ? 2 ** (all.length - 1 - i) : 0));
  const sizes = bits.filter((one) => one > 0);
  return sizes.map((one, i) => {
    const begin = sizes.slice(0, i).reduce((sum, before) => sum + before, 0);
    return treeOf(rows.slice(begin, begin + one))
      .root(one)
      .toString("hex");
  });
}

export function consistencyLine(rows: LogRow[], first: number, second: number): EvidenceLine {
  const proof = hex(treeOf(rows).consistency(first, second));
  return { evidence: "consistency", first, second, proof: first === second ? [] : proof };
}

export function inclusionLine(rows: LogRow[], row: LogRow, size: number): InclusionLine {
  const { version, position } = row;
  const proof = hex(treeOf(rows.slice(0, size)).inclusion(position - 1, size));
  return { evidence: "inclusion", version, position, size, proof };
}

/** A pack of a log, of a part, or of one stream, with the planned evidence and the proofs that join it. */
export function packOf({
  origin,
  rows,
  first = 1,
  stream,
  log,
  witnesses = [],
  checkpoints = [],
  anchors = [],
}: PackPlan): Pack {
  const tree = treeOf(rows);
  const sizes = [...new Set([...checkpoints, ...anchors.map(({ size }) => size)])].sort((a, b) => a - b);
  const part = rows.slice(first - 1);
  const own = stream
    ? rows.filter((row) => row.tenant === stream.tenant && row.stream_id === stream.stream_id)
    : part;
  const [header, ...lines] = stream
    ? streamExportLines(origin, rows, stream.tenant, stream.stream_id)
    : exportLines(origin, part, rows[first - 2]?.log_hash);
  // A stream's roots are not computed, so its tree heads are joined to each other; a log's are joined only before its
  // beginning.
  const joined = stream ? sizes : [...sizes.filter((size) => size < first - 1), first - 1];
  const links = joined.slice(1).map((second, i) => consistencyLine(rows, joined[i]!, second));
  const evidence: EvidenceLine[] = [];
  if (log) evidence.push({ evidence: "key", key: keyOf(log) });
  if (first > 1 && !stream)
    evidence.push({ evidence: "frontier", size: first - 1, hashes: frontierOf(rows, first - 1) });
  for (const size of log ? checkpoints : [])
    evidence.push({
      evidence: "checkpoint",
      note: noteOf(origin, { size, root: tree.root(size) }, [log!, ...witnesses]),
    });
  evidence.push(...anchors, ...links);
  const events = own.map((row, i) => {
    const size = stream && sizes.find((one) => one >= row.position);
    return { line: lines[i]!, inclusion: size === undefined ? undefined : inclusionLine(rows, row, size) };
  });
  return { header: header!, evidence, events, end: lines.at(-1)! };
}

/** The lines of a pack file. */
export const linesOf = ({ header, evidence, events, end }: Pack): string[] => [
  header,
  ...evidence.map((line) => JSON.stringify(line)),
  ...events.flatMap(({ line, inclusion }) => (inclusion ? [line, JSON.stringify(inclusion)] : [line])),
  end,
];

export const textOf = (pack: Pack): string =>
  linesOf(pack)
    .map((line) => `${line}\n`)
    .join("");

type Block = Record<string, Hex> & { hash: Hex; number: Hex };

/** The members of a block's header in order; those of later forks come last (EIP-1559, 4895, 4844, 4788, 7685). */
const HEADER = [
  ...["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom"],
  ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp", "extraData", "mixHash", "nonce"],
  ...[
    "baseFeePerGas",
    "withdrawalsRoot",
    "blobGasUsed",
    "excessBlobGas",
    "parentBeaconBlockRoot",
    "requestsHash",
  ],
];
const NUMBERS = [
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "baseFeePerGas",
  "blobGasUsed",
  "excessBlobGas",
];

/** A header in RLP, checked against the node's block hash. */
export function headerOf(block: Block): Hex {
  const members = HEADER.filter((name) => block[name] !== undefined).map((name): Hex => {
    const value = block[name]!;
    if (!NUMBERS.includes(name)) return value;
    return hexToBigInt(value) === 0n
      ? "0x"
      : numberToHex(hexToBigInt(value), { size: Math.ceil(hexToBigInt(value).toString(16).length / 2) });
  });
  const header = toRlp(members);
  if (keccak256(header) !== block.hash)
    throw new Error(`the header of block ${block.number} does not have its hash`);
  return header;
}

/** Anchors the tree heads of these sizes by the workshop's gas key, in sequence, and reads each one's evidence. */
export async function anchorsOn(
  { chain, rpc }: Workshop,
  origin: string,
  rows: LogRow[],
  sizes: number[],
): Promise<AnchorLine[]> {
  const tree = treeOf(rows);
  const log_id = logIdOf(origin);
  const signer = chain.sender.toLowerCase() as Hex;
  const anchors: AnchorLine[] = [];
  for (const [i, size] of sizes.entries()) {
    const root = tree.root(size).toString("hex");
    const proof = i === 0 ? [] : tree.consistency(sizes[i - 1]!, size);
    const { call, options } = anchorCall(
      { log_id, size: BigInt(size), root: `0x${root}` },
      hex(proof).map((one): Hex => `0x${one}`),
    );
    const { transaction } = await chain.send(call, options);
    const raw = await rpc<Hex>("eth_getRawTransactionByHash", transaction);
    const receipt = await rpc<{ blockNumber: Hex }>("eth_getTransactionReceipt", transaction);
    const block = await rpc<Block>("eth_getBlockByNumber", receipt.blockNumber, false);
    const state = await rpc<{ accountProof: Hex[]; storageProof: { proof: Hex[] }[] }>(
      "eth_getProof",
      ANCHOR_ADDRESS,
      headSlots(signer, log_id),
      receipt.blockNumber,
    );
    anchors.push({
      evidence: "anchor",
      size,
      root,
      network: `eip155:${Number(await rpc<Hex>("eth_chainId"))}`,
      contract: ANCHOR_ADDRESS,
      signer,
      transaction: raw,
      header: headerOf(block),
      account_proof: state.accountProof,
      root_proof: state.storageProof[0]!.proof,
      numbers_proof: state.storageProof[1]!.proof,
    });
  }
  return anchors;
}
