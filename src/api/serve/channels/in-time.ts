import { inTime } from "../../../core/coordination/concurrency.ts";
import { ChainUnavailable } from "../../../core/model/ports/chain.ts";

const PATIENCE_MS = 5_000;

/** Rejects with ChainUnavailable if the node takes too long. */
export const answeredInTime = <T>(answer: Promise<T>): Promise<T> =>
  inTime(PATIENCE_MS, answer, () => new ChainUnavailable("the chain's node does not answer in time"));
