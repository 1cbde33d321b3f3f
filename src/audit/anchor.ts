/** Reads the members of an anchor's evidence separately: transaction, block and stored head. */
import type { TransactionSerializableEIP1559 } from "viem";
import { keccak256, parseTransaction, serializeTransaction } from "viem/utils";
import type { AnchorEvidence } from "../anchoring/evidence.ts";
import type { Hex, RecoverKey } from "../core/model/chain.ts";
import {
  type ContractHead,
  headInCall,
  headInSlots,
  headSlots,
  type TreeHead,
} from "../domain/anchoring/contract.ts";
import {
  type BlockHeader,
  readHeader,
  StateProofError,
  storageRoot,
  storedWord,
} from "../domain/anchoring/state-proof.ts";
import { HALF_ORDER, signerOf } from "../domain/payments/authorization.ts";

/** The parts in use of a signed transaction; `head` is from its call, `sender` is its signer. */
export type AnchorTransaction = {
  hash: Hex;
  chain_id: number;
  to: Hex | undefined;
  head: TreeHead | undefined;
  sender: Hex | undefined;
};

/** Undefined for bytes that are not an EIP-1559 transaction. */
export function readTransaction(raw: Hex, recover: RecoverKey): AnchorTransaction | undefined {
  try {
    if (!raw.startsWith("0x02")) return undefined;
    const transaction = parseTransaction(raw) as TransactionSerializableEIP1559;
    const { r, s, yParity, v: _, ...unsigned } = transaction;
    if (r === undefined || s === undefined || (yParity !== 0 && yParity !== 1)) return undefined;
    if (BigInt(s) > HALF_ORDER) return undefined;
    // A non-canonical encoding is not a transaction of the chain.
    if (serializeTransaction(unsigned, { r, s, yParity }) !== raw) return undefined;
    const digest = keccak256(serializeTransaction(unsigned), "bytes");
    const rs = Buffer.from(r.slice(2).padStart(64, "0") + s.slice(2).padStart(64, "0"), "hex");
    return {
      hash: keccak256(raw),
      chain_id: Number(unsigned.chainId),
      to: unsigned.to?.toLowerCase() as Hex | undefined,
      head: headInCall(unsigned.data ?? "0x"),
      sender: signerOf(digest, { rs, recovery: yParity }, recover),
    };
  } catch {
    // A library error on hostile bytes also means: no transaction.
    return undefined;
  }
}

/** The proof's block, or a sentence why it cannot be read. */
export function readBlock({ header }: AnchorEvidence): BlockHeader | string {
  return orReason(() => readHeader(header));
}

/** The contract's head for the log in that block's state, 0 events if none; or a sentence why it is not proven. */
export function provenHead(line: AnchorEvidence, log_id: Hex): ContractHead | undefined | string {
  return orReason(() => {
    const [rootSlot, numbersSlot] = headSlots(line.signer, log_id);
    const { state_root } = readHeader(line.header);
    const storage = storageRoot(state_root, line.contract, line.account_proof);
    return headInSlots(
      storedWord(storage, rootSlot, line.root_proof),
      storedWord(storage, numbersSlot, line.numbers_proof),
    );
  });
}

function orReason<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof StateProofError) return error.message;
    throw error;
  }
}
