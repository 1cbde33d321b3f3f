/**
 * Whenever the log has grown, its tree is signed; whenever what is signed has grown, it is anchored and cosigned, and the log
 * follows what becomes of its anchors. Each goes on by itself: neither a chain nor a witness that is away, hangs or lags keeps
 * anything from being signed.
 */
import type { App } from "../app.ts";
import { inTurns, type ReactorLog } from "../turn.ts";
import { type AnchorMemory, type AnchorOptions, anchorTurn } from "./anchor-signed.ts";
import { cosignTurn, type Trouble, type WitnessMemory } from "./cosign-signed.ts";
import { type SigningOptions, signTurn } from "./sign-growth.ts";
import type { AnchorTurn } from "./turn.ts";
import type { WitnessAddress } from "./witness-client.ts";

export type AnchoringOptions = Omit<SigningOptions & AnchorOptions, "memory" | "signal"> & {
  /** The pause between two turns; two seconds when absent. */
  every_ms?: number;
  /** Asked to cosign checkpoints; none when absent. */
  witnesses?: readonly WitnessAddress[];
};

/** Signs, anchors and has cosigned in turns until it is stopped. */
export function startAnchoring(
  app: App,
  log: ReactorLog,
  { every_ms = 2_000, witnesses = [], ...options }: AnchoringOptions = {},
): { stop(): Promise<void> } {
  const memory: AnchorMemory = {};
  const common = { every_ms, log };
  const jobs = [
    repeat({ ...common, done: "signed", take: (signal) => signTurn(app, { ...options, signal }) }),
    repeat({
      ...common,
      done: "anchored",
      facts: { account: app.chain.sender },
      take: (signal) => anchorTurn(app, { ...options, memory, signal }),
    }),
  ];
  if (witnesses.length > 0) {
    const asked = { witnesses, memory: new Map() as WitnessMemory, onTrouble: tellOfWitness(log) };
    const take = (signal: AbortSignal) => cosignTurn(app, { ...asked, signal });
    jobs.push(repeat({ ...common, done: "cosigned", take }));
  }
  return {
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

const tellOfWitness = (log: ReactorLog) => (witness: string, trouble: Trouble | undefined) => {
  if (!trouble) return log.info({ witness }, "the witness cosigns again");
  const { grave, reason } = trouble;
  if (grave) log.error({ witness, reason }, "the witness has seen what contradicts the log, or says so");
  else log.warn({ witness, reason }, "the witness does not cosign for now");
};

type Job = {
  every_ms: number;
  log: ReactorLog;
  /** What becomes of the log in each turn: signed, anchored. */
  done: string;
  /** Told with each trouble. */
  facts?: object;
  take: (signal: AbortSignal) => Promise<AnchorTurn>;
};

/** Troubles are told when they begin and when they end. */
function repeat({ every_ms, log, done, facts, take }: Job): { stop(): Promise<void> } {
  let last = "done";
  const tell = (turn: AnchorTurn) => {
    if (turn.status === "taken" || turn.status === last) return;
    last = turn.status;
    if (!("message" in turn)) return log.info({}, `the log is ${done} again`);
    const { status, message: reason } = turn;
    if (status === "diverged")
      log.error({ reason }, `the log is not ${done}: it contradicts what was signed or anchored of it`);
    else if (status === "foreign") log.error({ reason }, `the log is not ${done}: this is another chain`);
    else if (status === "unproven")
      log.warn({ reason }, "exports carry no proof of the newest anchor for now");
    else log.warn({ reason, ...facts }, `the log is not ${done} for now`);
  };
  return inTurns(
    every_ms,
    async (signal) => tell(await take(signal)),
    (reason) => {
      if (reason !== last) log.warn({ reason }, `the log cannot be ${done}; trying again`);
      last = reason;
    },
  );
}
