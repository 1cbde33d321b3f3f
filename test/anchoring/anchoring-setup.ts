/** A service whose log is signed and anchored tick by tick. */

import { createEventStore } from "../../eventstore/store.ts";
import { type AnchorOptions, anchorTick } from "../../src/anchoring/anchor-signed.ts";
import { type SigningOptions, signTick } from "../../src/anchoring/sign-growth.ts";
import { type App, withParts } from "../../src/core/app.ts";
import { StreamCache } from "../../src/core/commands/stream-cache.ts";
import type { Chain } from "../../src/core/model/ports/chain.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import { type ContractHead, contractHead, headCall, logIdOf } from "../../src/domain/anchoring/contract.ts";
import { issueKey } from "../../src/operator/keys.ts";
import { type LedgerSetup, openLedgerSetup } from "../payments/ledger-setup.ts";
import { type Taken, turnOf } from "../support/turns.ts";

/** Everything that waits is due. */
export const AT_ONCE = { checkpoint_every_ms: -60_000, anchor_every_ms: -60_000 };

export type AnchoringSetup = LedgerSetup & {
  /** Signs and anchors due heads; by default everything is due. */
  turn(options?: SigningOptions & AnchorOptions, by?: App): Promise<Taken>;
  /** Appends an event that is not the anchoring's own. */
  happen(by?: App): Promise<void>;
  origin(): Promise<string>;
  state(): Promise<anchors.AnchorState>;
  /** The signed sizes, in order. */
  checkpoints(): Promise<number[]>;
  /** The types of the anchoring's events. */
  story(): Promise<string[]>;
  /** The head in the contract. */
  kept(): Promise<ContractHead | undefined>;
  /** The service with another chain before it. */
  over(more: Partial<Chain>, by?: App): App;
  /** A process that appends without comparing the log with its signed heads, as an attacker would. */
  heedless(): App;
};

export async function openAnchoringSetup(): Promise<AnchoringSetup> {
  const setup = await openLedgerSetup();
  const { app } = setup;
  const origin = async () => (await app.store.identity()).origin;
  const events = async () =>
    app.store.readStream({ tenant: "operator", stream_id: anchors.streamOf(await origin()) });
  return {
    ...setup,
    turn: async (options = {}, by = app) => {
      const all = { ...AT_ONCE, ...options };
      const signed = await turnOf(by, "log-signing", ({ app: own }) => signTick(own, all));
      if (signed.status !== "done") return signed;
      return turnOf(by, "log-anchoring", ({ app: own }) => anchorTick(own, all));
    },
    happen: async (by = app) => {
      const limits = { daily: null, monthly: null };
      await issueKey(by, { tenant: "acme", space: "live", scopes: ["read"], label: null, ...limits });
    },
    origin,
    state: async () => app.load(anchors, anchors.targetOf(await origin())),
    checkpoints: async () =>
      (await events()).flatMap(({ type, payload }) =>
        type === "CheckpointSigned" ? [Number(payload.size)] : [],
      ),
    story: async () => (await events()).map(({ type }) => type),
    kept: async () => {
      const { chain } = app;
      const [answer] = await chain.read([headCall(chain.sender, logIdOf(await origin()))]);
      return contractHead(answer!);
    },
    heedless: () => {
      const { schemas, subjects, objects } = app.unit;
      const store = createEventStore(app.pool, { schemas });
      return withParts(app, { unit: { store, schemas, cache: new StreamCache(), subjects, objects } });
    },
    over: (more, by = app) => ({ ...by, chain: { ...by.chain, ...more } }),
  };
}
