/** Verifies an export with its evidence: chain, order, tree, signature, anchor and completeness, each separately. */
import { readHeader } from "../../eventstore/verify/header.ts";
import { cutLines, LineGatherer } from "../../eventstore/verify/lines.ts";
import type { VerifyReport } from "../../eventstore/verify/report.ts";
import { type VerifyExportOptions, verifyExport } from "../../eventstore/verify/verify-export.ts";
import { type Evidence, readEvidence } from "../anchoring/evidence.ts";
import { ANCHOR_ADDRESS, logIdOf } from "../domain/anchoring/contract.ts";
import type { ActCounts } from "./acts.ts";
import { readBlock } from "./anchor.ts";
import type { AskChain } from "./ask-chain.ts";
import { Audit, type AuditOptions } from "./audit.ts";
import { blockTimesBy, type ChainQuestion, type ChainView, viewChain } from "./chain-view.ts";
import { tapLines } from "./event-lines.ts";
import { NamedBlocks } from "./named-blocks.ts";
import type { Conviction } from "./peer.ts";

export type VerifyPackOptions = Omit<VerifyExportOptions, "companion"> &
  Omit<AuditOptions, "chain"> & {
    /** The auditor's own RPC endpoint; queried once, before the events are read. */
    ask?: AskChain | undefined;
  };

/** `acts`: null without a header, since nothing was read. `convictions`: the notes that prove a second history. */
export type PackReport = VerifyReport & { acts: ActCounts | null; convictions?: readonly Conviction[] };

/** Verifies a pack given as chunks of bytes. Any bytes give a report. */
export async function verifyPack(
  chunks: AsyncIterable<Uint8Array>,
  { ask, ...options }: VerifyPackOptions,
): Promise<PackReport> {
  const verified = async (read: AsyncIterable<Uint8Array>, companion: Audit): Promise<PackReport> => {
    const tapped = tapLines(read, (lines) => companion.takeLines(lines));
    const report = await verifyExport(tapped, { ...options, companion });
    return { ...report, acts: companion.acts ?? null, ...convictionsOf(companion) };
  };
  if (!ask) return verified(chunks, new Audit(options));
  const { head, all } = await peek(chunks);
  const [first = "", ...lines] = head;
  const header = readHeader(first);
  const evidence = lines.map(readEvidence).filter((line) => typeof line === "object");
  const chain = typeof header === "string" ? header : await chainView(ask, header.origin, evidence, options);
  if (typeof chain === "string") return verified(all, new Audit({ ...options, chain }));
  const named = new NamedBlocks(chain.chain_id);
  const companion = new Audit({ ...options, chain, blocks: { named, times: blockTimesBy(ask) } });
  const read = tapLines(all, (lines) => named.takeLines(lines));
  return verified(read, companion);
}

export const convictionsOf = ({ convictions }: Audit) => (convictions.length > 0 ? { convictions } : {});

/** Header and evidence are small; with more than this before the events, the chain is not queried. */
const HEAD_BYTES = 16 * 1024 * 1024;

/** The lines before the first event, and all chunks again. */
async function peek(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ head: string[]; all: AsyncIterable<Uint8Array> }> {
  const source = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  const head: string[] = [];
  let failure: { error: unknown } | undefined;
  let past = false;
  let length = 0;
  const line = (bytes: Buffer, start: number, end: number) => {
    const text = bytes.toString("utf8", start, end);
    past = !text.startsWith('{"format"') && !text.startsWith('{"evidence"');
    if (!past) head.push(text);
    return !past;
  };
  const badLine = () => {
    past = true;
    return false;
  };
  const gatherer = new LineGatherer(HEAD_BYTES);
  while (length < HEAD_BYTES && !past) {
    try {
      const { value, done } = await source.next();
      if (done) break;
      // A chunk is valid only until the next one is requested.
      read.push(new Uint8Array(value));
      length += value.length;
      const batch = gatherer.push(Buffer.from(value.buffer, value.byteOffset, value.length));
      if (batch) cutLines(batch, { line, badLine }, HEAD_BYTES);
    } catch (error) {
      failure = { error };
      break;
    }
  }
  async function* all() {
    try {
      yield* read;
      if (failure) throw failure.error;
      yield* { [Symbol.asyncIterator]: () => source };
    } finally {
      // A reader that stops early never reaches the source itself.
      await source.return?.();
    }
  }
  return { head, all: all() };
}

/** The chain's state of a log's anchors, or a sentence why it is unknown. */
export async function chainView(
  ask: AskChain,
  origin: string,
  evidence: readonly Evidence[],
  { signer, contract }: Pick<AuditOptions, "signer" | "contract">,
): Promise<ChainView | string> {
  const anchors = evidence.filter((line) => line.evidence === "anchor");
  const newest = anchors.at(-1);
  const blocks = anchors
    .map(readBlock)
    .flatMap((block) => (typeof block === "string" ? [] : Number(block.number)));
  const question: ChainQuestion = {
    // Starts at the auditor's signer, so that no successor can be left out.
    signer,
    pack_signer: newest?.signer,
    // A contract that only the pack names may be its creator's own.
    contract: contract ?? ANCHOR_ADDRESS,
    contracts: anchors.map((line) => line.contract),
    log_id: logIdOf(origin),
    blocks,
  };
  return viewChain(ask, question).catch((error: Error) => error.message);
}
