/** A service on a chain with EAS whose attestations are written by hand, one tick at a time. */
import { randomBytes } from "node:crypto";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as attestations from "../../src/domain/trust/attestation.ts";
import {
  attestationCall,
  attestationIn,
  attestationLogs,
  type EasAttestation,
  uidIn,
} from "../../src/domain/trust/eas.ts";
import { onChainProjection } from "../../src/projections/trust/on-chain.ts";
import {
  attestOnChain,
  type OnChainMemory,
  onChainReactor,
} from "../../src/reactors/trust/attest-on-chain.ts";
import { type LedgerSetup, openLedgerSetup } from "../payments/ledger-setup.ts";
import { type Taken, turn } from "../support/turns.ts";
import { LIMIT_MS } from "../support/until.ts";

export type EasSetup = Awaited<ReturnType<typeof openEasSetup>>;

/** A development node's gas costs a hundred times Base's. */
export const RICH = { ATTESTATION_GAS_ETH: "100", GAS_BUDGET_ETH: "100" };

const meta = { actor: "test", operation: "test" };

export async function openEasSetup() {
  const ledger: LedgerSetup = await openLedgerSetup();
  const { app, close } = await ledger.beside(RICH);
  const { workshop } = ledger;
  const { chain, rpc } = workshop;
  const folded = async () => {
    const { position } = await app.store.head();
    await app.runner.reached(onChainProjection, position, LIMIT_MS);
  };
  return {
    app,
    ledger,
    /** Attestations as their operation records them. */
    async attest(count = 1): Promise<string[]> {
      const ids = Array.from({ length: count }, () => randomBytes(16).toString("hex"));
      for (const [at, attestation_id] of ids.entries()) {
        const facts: attestations.AttestationFacts = {
          ...{
            attestation_id,
            from: 1,
            to: 2,
            skill: `skill-${at}`,
            weight_micro: 2_500_000,
            evidence: null,
          },
          payment_id: null,
          recipient: `0x${"42".repeat(20)}`,
          offchain_uid: `0x${randomBytes(32).toString("hex")}`,
          made_at: new Date().toISOString(),
        };
        await app.decide(attestations, attestations.targetOf(attestation_id), attestations.make(facts), {
          meta,
        });
      }
      return ids;
    },
    takeBack: (id: string) =>
      app.decide(attestations, attestations.targetOf(id), attestations.revoke(1, new Date().toISOString()), {
        meta,
      }),
    /** One tick of this process, or of another one after the previous one is gone. */
    async turn(by: App = app): Promise<Taken> {
      await folded();
      return turn(by, onChainReactor, { patient: true });
    },
    /** A tick without a lease, as in a process that lost it. */
    async carry(memory: OnChainMemory, by: App = app) {
      await folded();
      return attestOnChain(by, memory);
    },
    stateOf: async (id: string) => (await app.load(attestations, attestations.targetOf(id)))!,
    /** The types of an attestation's events, without their common prefix. */
    async storyOf(id: string): Promise<string[]> {
      const events = await app.store.readStream({ tenant: "operator", stream_id: attestations.streamOf(id) });
      return events.map(({ type }) => type.replace("Attestation", ""));
    },
    /** Every EAS entry of an attestation. */
    async kept(id: string): Promise<EasAttestation[]> {
      const { latest } = await chain.heads();
      const logs = await chain.logs(attestationLogs(chain.sender, 0n, latest.number));
      const answers = await chain.read(logs.map(uidIn).map(attestationCall), { mined: true });
      return answers
        .flatMap((answer) => attestationIn(answer) ?? [])
        .filter(({ attestation_id }) => attestation_id === id);
    },
    /** The number of transactions that the gas key has sent. */
    sent: async () => Number(await rpc<Hex>("eth_getTransactionCount", chain.sender, "latest")),
    close: async () => {
      await close();
      await ledger.close();
    },
  };
}
