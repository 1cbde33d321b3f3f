/**
 * Stores proofs of the contract's state while the chain can give them: a later anchor replaces it, and most nodes
 * prove only the newest blocks. Rows prove themselves, so they are only added.
 */
import type pg from "pg";
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { Hex } from "../core/model/chain.ts";
import type { Anchor, AnchorState } from "../domain/anchoring/anchor.ts";
import { headInSlots, headSlots, logIdOf } from "../domain/anchoring/contract.ts";
import { readHeader, storageRoot, storedWord } from "../domain/anchoring/state-proof.ts";
import type { AnchorEvidence } from "./evidence.ts";
import type { TickContext } from "./tick.ts";

/**
 * Stores the proof of our newest anchor, unless a stored proof's block is still in the chain. True once that block
 * is final. Rejects with ChainUnavailable.
 */
export async function storeProof({ app, origin }: TickContext, anchor: Anchor): Promise<boolean> {
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
  const root = anchor.root.slice(2);
  const storage = storageRoot(readHeader(header).state_root, contract, account_proof);
  const head = headInSlots(
    storedWord(storage, slots[0], root_proof),
    storedWord(storage, slots[1], numbers_proof),
  );
  // A newer anchor exists; its own tick stores its proof.
  if (!signed || Number(head?.size) !== size || head?.root !== anchor.root) return false;
  const line: AnchorEvidence = {
    evidence: "anchor",
    ...{ size, root, network, contract, signer },
    ...{ transaction: signed, header, account_proof, root_proof, numbers_proof },
  };
  await pool.query(
    `insert into anchoring.proofs_v1 (log_id, size, transaction, block_number, block_hash, evidence)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [MAIN_LOG, size, anchor.transaction, String(proof.block.number), proof.block.hash, JSON.stringify(line)],
  );
  return false;
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
