/**
 * Signs, anchors and cosigns the growing log, each in its own reactor: a chain or witness that is unavailable,
 * hangs or lags never delays signing.
 */
import type { App } from "../core/app.ts";
import { type ReactorLog, reactor } from "../core/background/reactor.ts";
import { type AnchorMemory, type AnchorOptions, anchorTurn } from "./anchor-signed.ts";
import { type CosigningOptions, cosignTurn, type Trouble, type WitnessMemory } from "./cosign-signed.ts";
import { verifierKey } from "./note.ts";
import { type SigningOptions, signTurn } from "./sign-growth.ts";
import { parseWitnesses } from "./witness-client.ts";

const every_ms = 2_000;

const runs = ({ settings }: App) => settings.anchoring !== undefined;

const contradicts = (done: string) =>
  `the log is not ${done}: it contradicts what was signed or anchored of it`;

type Given<Options> = Omit<Options, "memory" | "signal">;

/** Default: as often as the settings say. */
export const signingReactor = (options: Given<SigningOptions> = {}) =>
  reactor({
    name: "log-signing",
    every_ms,
    runs,
    fault: originFault,
    memory: () => ({}),
    take: ({ app, signal }) => {
      const checkpoint_every_ms = (app.settings.anchoring?.checkpoint_seconds ?? 60) * 1_000;
      return signTurn(app, { checkpoint_every_ms, ...options, signal });
    },
    troubles: {
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
export const anchoringReactor = (options: Given<AnchorOptions> = {}) =>
  reactor({
    name: "log-anchoring",
    every_ms,
    runs,
    memory: (): AnchorMemory => ({}),
    take: ({ app, memory, signal }) => {
      const anchor_every_ms = (app.settings.anchoring?.anchor_seconds ?? 600) * 1_000;
      return anchorTurn(app, { anchor_every_ms, ...options, memory, signal });
    },
    troubles: {
      away: "the log is not anchored for now: the chain is away",
      behind: "the log is not anchored for now: the chain lags behind what it showed before",
      foreign: "the log is not anchored: this is another chain",
      unplaced: "the log is not anchored: the contract is not on this chain",
      unproven: "exports carry no proof of the newest anchor for now",
      diverged: contradicts("anchored"),
      failed: "the log cannot be anchored; trying again",
    },
    grave: ["diverged", "foreign"],
    resumed: "the log is anchored again",
  });

export const cosigningReactor = (options: Given<Partial<CosigningOptions>> = {}) =>
  reactor({
    name: "log-cosigning",
    every_ms,
    runs: ({ settings }) => settings.anchoring !== undefined && settings.anchoring.witnesses.length > 0,
    memory: (): WitnessMemory => new Map(),
    take: ({ app, memory, log, signal }) => {
      const named = app.settings.anchoring?.witnesses.map(({ url, key }) => `${url}#${key}`) ?? [];
      const witnesses = parseWitnesses(named.join(","));
      return cosignTurn(app, { witnesses, onTrouble: tellOfWitness(log), ...options, memory, signal });
    },
    troubles: {
      diverged: contradicts("cosigned"),
      disputed: "a witness says that it cosigned another history of the log; nothing proves it yet",
      failed: "the log cannot be cosigned; trying again",
    },
    grave: ["diverged", "disputed"],
    disputes: ["disputed"],
    resumed: "the log is cosigned again",
  });

const tellOfWitness = (log: ReactorLog) => (witness: string, trouble: Trouble | undefined) => {
  if (!trouble) return log.info({ witness }, "the witness cosigns again");
  const { grave, reason } = trouble;
  if (grave) log.error({ witness, reason }, "the witness has seen what contradicts the log, or says so");
  else log.warn({ witness, reason }, "the witness does not cosign for now");
};
