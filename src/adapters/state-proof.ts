/** An account's storage values in the newest block, with the header and the trie nodes that prove them. */
import type { RpcBlock, RpcProof } from "viem";
import { toRlp } from "viem/utils";
import type { Hex, StateProof } from "../core/model/chain.ts";
import { ChainUnavailable } from "../core/model/ports/chain.ts";
import { readHeader, StateProofError, storageRoot, storedWord } from "../domain/anchoring/state-proof.ts";
import type { Ask } from "./json-rpc.ts";

/**
 * The header's members in order; those from `baseFeePerGas` on came with later forks. Source: execution-specs,
 * `Header`.
 */
const MEMBERS = [
  "parentHash",
  "sha3Uncles",
  "miner",
  "stateRoot",
  "transactionsRoot",
  "receiptsRoot",
  "logsBloom",
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "extraData",
  "mixHash",
  "nonce",
  "baseFeePerGas",
  "withdrawalsRoot",
  "blobGasUsed",
  "excessBlobGas",
  "parentBeaconBlockRoot",
  "requestsHash",
] as const;

const QUANTITIES: ReadonlySet<string> = new Set([
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "baseFeePerGas",
  "blobGasUsed",
  "excessBlobGas",
]);

/** A new block may arrive between two requests. */
const TRIES = 5;

export async function stateProof(ask: Ask, account: Hex, slots: readonly Hex[]): Promise<StateProof> {
  let fault: unknown;
  for (let n = 0; n < TRIES; n++) {
    try {
      return await proofAtHead(ask, account, slots);
    } catch (error) {
      if (!(error instanceof StateProofError)) throw error;
      fault = error;
    }
  }
  throw new ChainUnavailable("the RPC endpoint's eth_getProof does not prove its own blocks", {
    cause: fault,
  });
}

async function proofAtHead(ask: Ask, account: Hex, slots: readonly Hex[]): Promise<StateProof> {
  const block = await ask<RpcBlock & Record<string, unknown>>("eth_getBlockByNumber", ["latest", false]);
  const header = encoded(block);
  const { hash, number, timestamp, state_root } = readHeader(header);
  if (hash !== block.hash) throw new ChainUnavailable("the chain's block headers have unknown members");
  // Some nodes prove only the newest state, so it is requested by its tag.
  const proof = await ask<RpcProof>("eth_getProof", [account, slots, "latest"]);
  const storage_proofs = proof.storageProof.map((one) => one.proof as Hex[]);
  const root = storageRoot(state_root, account, proof.accountProof as Hex[]);
  for (const [n, slot] of slots.entries()) storedWord(root, slot, storage_proofs[n] ?? []);
  return {
    block: { hash, number, timestamp },
    header,
    account_proof: proof.accountProof as Hex[],
    storage_proofs,
  };
}

function encoded(block: Record<string, unknown>): Hex {
  const items = MEMBERS.filter((name) => typeof block[name] === "string").map((name) => {
    const value = block[name] as Hex;
    if (!QUANTITIES.has(name)) return value;
    const digits = BigInt(value).toString(16);
    return digits === "0" ? "0x" : (`0x${digits.length % 2 ? "0" : ""}${digits}` as Hex);
  });
  return toRlp(items);
}
