/** Verifies an export with its evidence: chain, order, tree, signature, anchor, completeness, each for itself. */
import { type Header, readHeader } from "../../eventstore/verify/header.ts";
import type { VerifyReport } from "../../eventstore/verify/report.ts";
import { type VerifyExportOptions, verifyExport } from "../../eventstore/verify/verify-export.ts";
import { type AnchorEvidence, readEvidence } from "../anchoring/evidence.ts";
import { ANCHOR_ADDRESS, logIdOf } from "../domain/anchoring/contract.ts";
import { readBlock } from "./anchor.ts";
import { Audit, type AuditOptions } from "./audit.ts";
import { type AskChain, type ChainQuestion, type ChainView, viewChain } from "./chain-view.ts";

export type VerifyPackOptions = Omit<VerifyExportOptions, "companion"> &
  Omit<AuditOptions, "chain"> & {
    /** The auditor's own RPC endpoint; what it says is asked once, before the events are read. */
    ask?: AskChain | undefined;
  };

/** Verifies a pack given as chunks of bytes. Whatever the bytes are, the answer is a report. */
export async function verifyPack(
  chunks: AsyncIterable<Uint8Array>,
  { ask, ...options }: VerifyPackOptions,
): Promise<VerifyReport> {
  if (!ask) return verifyExport(chunks, { ...options, companion: new Audit(options) });
  const { head, all } = await peek(chunks);
  const chain = await chainView(ask, head, options);
  return verifyExport(all, { ...options, companion: new Audit({ ...options, chain }) });
}

/** Header and evidence are small; whoever fills more than this in front of the events is not asked about on the chain. */
const HEAD_BYTES = 16 * 1024 * 1024;

/** The lines before the first event, and all of the chunks again. */
async function peek(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ head: string[]; all: AsyncIterable<Uint8Array> }> {
  const source = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let failure: { error: unknown } | undefined;
  let text = "";
  let length = 0;
  while (length < HEAD_BYTES && !isPastHead(text)) {
    try {
      const { value, done } = await source.next();
      if (done) break;
      read.push(value);
      length += value.length;
      text += Buffer.from(value).toString("latin1");
    } catch (error) {
      failure = { error };
      break;
    }
  }
  const head = Buffer.from(text, "latin1").toString("utf8").split("\n").filter(isHeadLine);
  async function* all() {
    yield* read;
    if (failure) throw failure.error;
    yield* { [Symbol.asyncIterator]: () => source };
  }
  return { head, all: all() };
}

const isHeadLine = (line: string) => line.startsWith('{"format"') || line.startsWith('{"evidence"');

const isPastHead = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .some((line) => !isHeadLine(line));

async function chainView(
  ask: AskChain,
  lines: readonly string[],
  options: Omit<VerifyPackOptions, "ask">,
): Promise<ChainView | string> {
  const question = questionOf(lines, options);
  if (typeof question === "string") return question;
  try {
    return await viewChain(ask, question);
  } catch (error) {
    return (error as Error).message;
  }
}

/** What there is to ask of the chain; a sentence says why nothing. */
function questionOf(
  [first = "", ...lines]: readonly string[],
  { signer, contract }: Omit<VerifyPackOptions, "ask">,
): ChainQuestion | string {
  const header: Header | string = readHeader(first);
  if (typeof header === "string") return header;
  const anchors = lines
    .map(readEvidence)
    .filter((line): line is AnchorEvidence => typeof line === "object" && line.evidence === "anchor");
  const newest = anchors.at(-1);
  const whose = newest?.signer ?? signer;
  if (!whose) return "the log names no signer on the chain: give one by --signer";
  const blocks = anchors
    .map(readBlock)
    .flatMap((block) => (typeof block === "string" ? [] : Number(block.number)));
  return {
    signer: whose,
    contract: newest?.contract ?? contract ?? ANCHOR_ADDRESS,
    log_id: logIdOf(header.origin),
    blocks,
    named: signer,
  };
}
