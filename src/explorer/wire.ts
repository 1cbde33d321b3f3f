/** The answers of the operations under /log, as far as the page uses them. All text in them is a stranger's. */

export type Status = {
  origin: string;
  /** The log's verifier key. */
  key: string;
  events: number;
  head: { position: number; log_hash: string };
  checkpoint: { size: number; root: string; signed_at: string; cosigned_by: string[] } | null;
  anchor: Anchor | null;
  /** Events beyond the newest final anchor. */
  unproven_events: number;
  network: string;
  contract: string;
  signer: string;
  /** Verifier keys of the witnesses that cosign for this service. */
  witnesses: string[];
  /** Sealed personal values, and how many of them nobody can open any more. */
  sealed: { values: number; erased: number };
  /** Why the log differs from its signed or anchored heads. */
  contradiction: string | null;
  /** Why nothing is signed, if so. */
  detail: string | null;
};

export type Event = {
  position: number;
  recorded_at: string;
  type: string;
  event_id: string;
  event_hash: string;
  log_hash: string;
  stream: string;
};

export type Stream = {
  stream: string;
  public: boolean;
  events: number;
  last_position: number;
  last_type: string;
  last_at: string;
};

export type Checkpoint = {
  size: number;
  root: string;
  signed_at: string;
  note: string;
  cosigned_by: string[];
};

export type Firmness = "mined" | "final" | "reorged";

export type Anchor = {
  size: number;
  root: string;
  network: string;
  contract: string;
  signer: string;
  transaction: string;
  block_number: number;
  timestamp: number;
  firmness: Firmness;
  anchored_at: string;
};

/** A private event has only its hashes. */
export type Proof = {
  origin: string;
  key: string;
  event: Event & {
    tenant?: string;
    stream_id?: string;
    version?: number;
    payload?: string;
    meta?: string;
    payload_hash?: string;
    meta_hash?: string;
    prev_hash?: string;
  };
  checkpoint: string | null;
  inclusion: { size: number; proof: string[] } | null;
  tlog_proof: string | null;
  anchor: {
    size: number;
    root: string;
    network: string;
    contract: string;
    signer: string;
    transaction_hash: string;
    firmness: Firmness;
    inclusion: { size: number; proof: string[] };
  } | null;
  /** Why the proof is incomplete, and when to retry; null if waiting does not help. */
  pending: { detail: string; retry_after_s: number | null } | null;
};
