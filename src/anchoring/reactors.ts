/**
 * Signs, anchors and cosigns the growing log, each in its own reactor: a chain or witness that is unavailable,
 * hangs or lags never delays signing.
 */
import type { App } from "../core/app.ts";
import { type ReactorLog, reactor } from "../core/background/reactor.ts";
import { type AnchorMemory, type AnchorOptions, anchorTick } from "./anchor-signed.ts";
import {
  type CosigningOptions,
  cosignTick,
  type WitnessFailure,
  type WitnessMemory,
} from "./cosign-signed.ts";
import { verifierKey } from "./note.ts";
import { type SigningOptions, signTick } from "./sign-growth.ts";
import { parseWitnesses } from "./witness-client.ts";

const every_ms = 2_000;

const runs = ({ settings }: App) => settings.anchoring !== undefined;

const contradicts = (done: string) => `the log is not ${done}: it contradicts its signed or anchored heads`;

type ReactorOptions<Options> = Omit<Options, "memory" | "signal">;

/** Default: as often as the settings say. */
export const signingReactor = (options: ReactorOptions<SigningOptions> = {}) =>
  reactor({
    name: "log-signing",
    every_ms,
    runs,
    fault: originFault,
    memory: () => ({}),
    take: ({ app, signal }) => {
      const checkpoint_every_ms = (app.settings.anchoring?.checkpoint_seconds ?? 60) * 1_000;
      return signTick(app, { checkpoint_every_ms, ...options, signal });
    },
    failures: {
      diverged: contradicts("signed"),
      failed: "the log cannot be signed; trying again",
    },
    grave: ["diverged"],
    resumed: "the log is signed again",
  });

/** A log's origin is fixed at its creation and is the name under which its checkpoints are signed. */
async function originFault({ store, signer }: App): Promise<string | undefined> {
  const { origin } = await store.identity();
  try {
    verifierKey(origin, "ed25519", signer.public_key);
    return undefined;
  } catch (error) {
    return `LOG_ORIGIN_HOST, when the log was made: ${(error as Error).message}`;
  }
}

/** Default: as often as the settings say. */
export const anchoringReactor = (options: ReactorOptions<AnchorOptions> = {}) =>
  reactor({
    name: "log-anchoring",
    every_ms,
    runs,
    memory: (): AnchorMemory => ({}),
    take: ({ app, memory, signal }) => {
      const anchor_every_ms = (app.settings.anchoring?.anchor_seconds ?? 600) * 1_000;
      return anchorTick(app, { anchor_every_ms, ...options, memory, signal });
    },
    failures: {
      away: "the log is not anchored for now: the chain is unavailable",
      behind: "the log is not anchored for now: the chain lags behind its earlier head",
      foreign: "the log is not anchored: this is another chain",
      unplaced: "the log is not anchored: the contract is not on this chain",
      unproven: "exports carry no proof of the newest anchor for now",
      diverged: contradicts("anchored"),
      failed: "the log cannot be anchored; trying again",
    },
    grave: ["diverged", "foreign"],
    resumed: "the log is anchored again",
  });

export const cosigningReactor = (options: ReactorOptions<Partial<CosigningOptions>> = {}) =>
  reactor({
    name: "log-cosigning",
    every_ms,
    runs: ({ settings }) => settings.anchoring !== undefined && settings.anchoring.witnesses.length > 0,
    memory: (): WitnessMemory => new Map(),
    take: ({ app, memory, log, signal }) => {
      const named = app.settings.anchoring?.witnesses.map(({ url, key }) => `${url}#${key}`) ?? [];
      const witnesses = parseWitnesses(named.join(","));
      return cosignTick(app, { witnesses, onTrouble: logWitnessFailure(log), ...options, memory, signal });
    },
    failures: {
      diverged: contradicts("cosigned"),
      disputed: "a witness says that it cosigned another history of the log; nothing proves it yet",
      failed: "the log cannot be cosigned; trying again",
    },
    grave: ["diverged", "disputed"],
    disputes: ["disputed"],
    resumed: "the log is cosigned again",
  });

const logWitnessFailure = (log: ReactorLog) => (witness: string, trouble: WitnessFailure | undefined) => {
  if (!trouble) return log.info({ witness }, "the witness cosigns again");
  const { grave, reason } = trouble;
  if (grave)
    log.error({ witness, reason }, "the witness has seen a contradiction to the log, or reports one");
  else log.warn({ witness, reason }, "the witness does not cosign for now");
};
