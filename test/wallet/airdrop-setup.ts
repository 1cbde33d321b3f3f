/** A service on its own chain that pays airdrops tick by tick. */
import { DEVELOPMENT_TOKEN } from "../../src/adapters/chain-contracts.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import type { AirdropFacts, AirdropState } from "../../src/domain/wallet/airdrop.ts";
import * as airdrops from "../../src/domain/wallet/airdrop.ts";
import { amountIn, balanceCall } from "../../src/domain/wallet/token.ts";
import { airdropsProjection } from "../../src/projections/wallet/airdrops.ts";
import { transfersReactor } from "../../src/reactors/wallet/follow-transfers.ts";
import { airdropsReactor, noAirdropMemory, payAirdrops } from "../../src/reactors/wallet/pay-airdrops.ts";
import { type LedgerSetup, openLedgerSetup } from "../payments/ledger-setup.ts";
import { type Taken, turn } from "../support/turns.ts";
import { LIMIT_MS } from "../support/until.ts";

export const TOKEN = 10n ** 18n;

export type AirdropSetup = {
  app: App;
  ledger: LedgerSetup;
  warnings: string[];
  /** Requests an airdrop of one token to this many empty accounts, at several processes at once where given. */
  ask(recipients: number, more?: Partial<AirdropFacts>, by?: readonly App[]): Promise<AirdropFacts>;
  /** One tick of this process, or of another one after the previous leaseholder ended. */
  turn(by?: App): Promise<{ airdrops: Taken; transfers: Taken }>;
  /** Airdrops alone and without a lease, as two processes would whose lease was lost. */
  pay(by?: App): Promise<void>;
  stateOf(facts: AirdropFacts): Promise<AirdropState>;
  /** The types of an airdrop's events, without their common beginning. */
  storyOf(facts: AirdropFacts): Promise<string[]>;
  received(facts: AirdropFacts): Promise<bigint[]>;
  /** The number of transactions sent by the gas key. */
  sent(): Promise<number>;
  close(): Promise<void>;
};

export async function openAirdropSetup(): Promise<AirdropSetup> {
  const ledger = await openLedgerSetup();
  const { app, close } = await ledger.beside({ PLATFORM_TOKEN: DEVELOPMENT_TOKEN });
  const { chain, rpc } = ledger.workshop;
  const warnings: string[] = [];
  const log = {
    info: () => {},
    error: () => {},
    warn: (_: object, message: string) => void warnings.push(message),
  };
  const options = { log, patient: true };
  /** A tick defers airdrops that the read model does not have yet. */
  const folded = async () => {
    const { position } = await app.store.head();
    await app.runner.reached(airdropsProjection, position, LIMIT_MS);
  };
  let accounts = 0;
  let requests = 0;
  return {
    app,
    ledger,
    warnings,
    ask: async (count, more = {}, by = [app]) => {
      const facts: AirdropFacts = {
        airdrop_id: (++requests).toString(16).padStart(32, "0"),
        tenant: "acme",
        network: "eip155:8453",
        token: DEVELOPMENT_TOKEN,
        symbol: "TALLY",
        decimals: 18,
        amount_each: String(TOKEN),
        recipients: Array.from(
          { length: count },
          (): Hex => `0x${(0xb000_0000 + ++accounts).toString(16).padStart(40, "0")}`,
        ),
        asked_at: new Date(1_790_000_000_000 + requests).toISOString(),
        ...more,
      };
      const decision = airdrops.request(facts, airdrops.totalOf(facts));
      const meta = { actor: "test", operation: "test" };
      const target = airdrops.targetOf(facts);
      await Promise.all(by.map((one) => one.decide(airdrops, target, decision, { meta })));
      return facts;
    },
    turn: async (by = app) => {
      await folded();
      return {
        airdrops: await turn(by, airdropsReactor, options),
        transfers: await turn(by, transfersReactor, options),
      };
    },
    pay: async (by = app) => {
      await folded();
      await payAirdrops(by, { log, memory: noAirdropMemory() });
    },
    stateOf: (facts) => app.load(airdrops, airdrops.targetOf(facts)),
    storyOf: async ({ tenant, airdrop_id }) => {
      const events = await app.store.readStream({ tenant, stream_id: airdrops.streamOf(airdrop_id) });
      return events.map(({ type }) => type.replace("Airdrop", ""));
    },
    received: async ({ recipients }) => {
      const answers = await chain.read(recipients.map((one) => balanceCall(DEVELOPMENT_TOKEN, one)));
      return answers.map((answer) => amountIn(answer)! / TOKEN);
    },
    sent: async () => Number(await rpc<Hex>("eth_getTransactionCount", chain.sender, "latest")),
    close: async () => {
      await close();
      await ledger.close();
    },
  };
}
