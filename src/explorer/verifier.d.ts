/** What verifier.js offers, which stands beside the page and is served as it is. */

export type Verdict = {
  name: string;
  ok: boolean;
  detail: string;
  /** The first position (of a stream: version; of the tree: size) that is not as it should be. */
  first_bad?: number;
  reason?: string;
};

export type Options = {
  origin?: string;
  key?: string;
  /** Heads the auditor holds; a hash may be its first 8 hex digits or more. */
  heads?: { position: number; hash: string }[];
  /** Signed notes the auditor holds. */
  checkpoints?: string[];
  network?: string;
  contract?: string;
  signer?: string;
  /** URL of an RPC endpoint of the chain. */
  rpc?: string;
  onEvents?(count: number): void;
};

export type ProofReport = { ok: boolean; verdicts: Verdict[] };
export type PackReport = ProofReport & { head: { position: number; hash: string } | null; events: number };

export function verifyPack(
  source: AsyncIterable<Uint8Array> | Uint8Array | string,
  options?: Options,
): Promise<PackReport>;
export function verifyProof(answer: unknown, options?: Options): Promise<ProofReport>;
