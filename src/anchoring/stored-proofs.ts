/**
 * Stores proofs of the contract's state while the chain can give them: a later anchor replaces it, and most nodes
 * prove only the newest blocks. Rows prove themselves, so they are only added.
 */
import type pg from "pg";
import { keccak256 } from "viem/utils";
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { Hex } from "../core/model/chain.ts";
import type { Anchor, AnchorState } from "../domain/anchoring/anchor.ts";
import { headInSlots, headSlots, logIdOf } from "../domain/anchoring/contract.ts";
import { readHeader, StateProofError, storageRoot, storedWord } from "../domain/anchoring/state-proof.ts";
import { type AnchorEvidence, readEvidence } from "./evidence.ts";
import type { TickContext } from "./tick.ts";

/**
 * Stores the proof of our newest anchor, unless a stored proof's block is still in the chain. True once that block
 * is final. Rejects with ChainUnavailable.
 */
export async function storeProof(
  { app, origin }: Pick<TickContext, "app" | "origin">,
  anchor: Anchor,
): Promise<boolean> {
  const { chain, pool } = app;
  const kept = await newestRow(pool, anchor);
  if (kept) {
    const [{ finalized }, found] = await Promise.all([chain.heads(), chain.block(BigInt(kept.block_number))]);
    if (found?.hash === kept.block_hash) return kept.block_number <= finalized.number;
  }
  const slots = headSlots(anchor.signer, logIdOf(origin));
  const proof = await chain.stateProof(anchor.contract, slots);
  const signed = await chain.signedTransaction(anchor.transaction);
  const [root_proof, numbers_proof] = proof.storage_proofs as [Hex[], Hex[]];
  const { header, account_proof } = proof;
  const { size, network, contract, signer } = anchor;
  if (!signed) return false;
  const line: AnchorEvidence = {
    evidence: "anchor",
    ...{ size, root: anchor.root.slice(2), network, contract, signer },
    ...{ transaction: signed, header, account_proof, root_proof, numbers_proof },
  };
  // Otherwise a newer anchor exists; its own tick stores its proof.
  if (hasHead(line, origin)) await insertProof(pool, line, anchor.transaction);
  return false;
}

/** Stores the anchors of an export's evidence lines; lines that do not prove their head are left out. */
export async function storeProofsIn(
  client: pg.ClientBase,
  origin: string,
  evidence: readonly string[],
): Promise<void> {
  for (const line of evidence.map(readEvidence))
    if (typeof line !== "string" && line.evidence === "anchor" && isProven(line, origin))
      await insertProof(client, line, keccak256(line.transaction));
}

async function insertProof(
  to: Pick<pg.ClientBase, "query">,
  line: AnchorEvidence,
  transaction: Hex,
): Promise<void> {
  const block = readHeader(line.header);
  await to.query(
    `insert into anchoring.proofs_v1 (log_id, size, transaction, block_number, block_hash, evidence)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [MAIN_LOG, line.size, transaction, String(block.number), block.hash, JSON.stringify(line)],
  );
}

function isProven(line: AnchorEvidence, origin: string): boolean {
  try {
    return hasHead(line, origin);
  } catch (error) {
    if (error instanceof StateProofError) return false;
    throw error;
  }
}

/** The contract has the anchor's head in the block of the proof. Throws StateProofError. */
function hasHead(line: AnchorEvidence, origin: string): boolean {
  const slots = headSlots(line.signer, logIdOf(origin));
  const storage = storageRoot(readHeader(line.header).state_root, line.contract, line.account_proof);
  const head = headInSlots(
    storedWord(storage, slots[0], line.root_proof),
    storedWord(storage, slots[1], line.numbers_proof),
  );
  return Number(head?.size) === line.size && head?.root === `0x${line.root}`;
}

type Row = { block_number: number; block_hash: string; evidence: string };

async function newestRow(
  pool: pg.Pool,
  { size, transaction }: Pick<Anchor, "size" | "transaction">,
): Promise<Row | undefined> {
  const { rows } = await pool.query<Row>(
    `select block_number, block_hash, evidence from anchoring.proofs_v1
      where log_id = $1 and size = $2 and transaction = $3 order by block_number desc limit 1`,
    [MAIN_LOG, size, transaction],
  );
  return rows[0];
}

/** The proof of an anchor, if one was stored. */
export async function proofOfAnchor(
  pool: pg.Pool,
  anchor: Pick<Anchor, "size" | "transaction">,
): Promise<AnchorEvidence | undefined> {
  const row = await newestRow(pool, anchor);
  return row && (JSON.parse(row.evidence) as AnchorEvidence);
}

/** The stored proofs of the newest final anchor and later ones, the smallest first. */
export async function proofsOfAnchors(
  pool: pg.Pool,
  { anchors }: Pick<AnchorState, "anchors">,
): Promise<AnchorEvidence[]> {
  const proofs = await Promise.all(anchors.map((anchor) => proofOfAnchor(pool, anchor)));
  return proofs.filter((proof) => proof !== undefined);
}
