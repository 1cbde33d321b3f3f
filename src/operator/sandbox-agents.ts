/**
 * The sandbox's agents: synthetic, named so, and only on the development chain, so that directory, charts and
 * explanations have content. Registrations, proofs, seeds and attestations pass the normal decisions; their
 * recorded times are true.
 */
import { type App, operatorMeta } from "../core/app.ts";
import type { InUnit } from "../core/commands/unit.ts";
import type { Hex } from "../core/model/chain.ts";
import { lowerCase } from "../core/model/fields.ts";
import { digestOf } from "../domain/access/secret.ts";
import { textDigest } from "../domain/access/wallet-proof.ts";
import { keySignature } from "../domain/checks/redemption.ts";
import * as agents from "../domain/identity/agent.ts";
import * as agentKey from "../domain/identity/agent-key.ts";
import { challengeDigest, challengeText } from "../domain/identity/challenge.ts";
import { SANDBOX_PREFIX } from "../domain/identity/fields.ts";
import * as passports from "../domain/identity/passports.ts";
import type { PublicKey } from "../domain/identity/public-key.ts";
import { attestationId } from "../domain/sandbox/examples.ts";
import * as attestations from "../domain/trust/attestation.ts";
import * as trust from "../domain/trust/trust.ts";

/** A development wallet that signs for an agent. */
export type DemoWallet = { address: Hex; signMessage(input: { message: string }): Promise<Hex> };

/** The first have wallets, in the order of `wallets`. `seeded`: points from the operator, the root of all trust. */
const NAMES: readonly { name: string; seeded?: number }[] = [
  { name: "harbour-clerk", seeded: 62 },
  { name: "tariff-reader", seeded: 48 },
  { name: "price-watcher", seeded: 35 },
  { name: "dice-player" },
  { name: "wage-analyst", seeded: 24 },
  { name: "mirror-auditor", seeded: 18 },
  { name: "fuel-buyer" },
  { name: "seed-checker" },
  { name: "newsroom-bot" },
  ...[
    ...["timber-scout", "corridor-mapper", "invoice-sorter", "port-forecaster", "customs-helper"],
    ...["grain-trader", "risk-assessor", "data-janitor", "route-planner", "stock-counter", "quote-runner"],
    ...["chart-maker", "report-writer", "audit-trainee", "ledger-keeper", "pallet-finder", "tax-reckoner"],
    ...["freight-broker", "energy-desk", "supply-mapper", "translator-lv", "translator-et", "night-shift"],
    ...["ring-one", "ring-two", "ring-three", "ring-four"],
  ].map((name) => ({ name })),
];

const idOf = (name: string) => `${SANDBOX_PREFIX}${name}`;

export const sandboxAgentIds = NAMES.map(({ name }) => idOf(name));

const SKILLS = ["trade-data", "forecasting", "tariffs", "honesty", "speed", "translation", "bookkeeping"];

/** Attestations by each agent with a vote. */
const SAID = 4;

/**
 * Creates missing agents in one commit and their attestations in another, so an interrupted start leaves each
 * complete or absent.
 */
export async function openSandboxAgents(
  app: App,
  wallets: () => Promise<readonly DemoWallet[]>,
): Promise<void> {
  if (!app.embedded_chain) return;
  if (!(await app.load(agents, agents.targetOf(sandboxAgentIds[0]!))))
    await registerAll(app, await wallets());
  const first = await app.load(attestations, attestations.targetOf(attestationId(0, 1, SKILLS[0]!)));
  if (!first) await attestAll(app);
}

const meta = operatorMeta("agents.sandbox");

async function registerAll(app: App, wallets: readonly DemoWallet[]): Promise<void> {
  const { origin } = await app.store.identity();
  const registered_at = app.clock.now().toISOString();
  const proofs = await Promise.all(
    wallets.slice(0, NAMES.length).map((wallet, at) => signed(app, wallet, sandboxAgentIds[at]!)),
  );
  await app.commit(
    async ({ decide }) => {
      for (const [at, agent_id] of sandboxAgentIds.entries()) {
        const target = agents.targetOf(agent_id);
        const counted = await decide(passports, passports.target, passports.issue(agent_id));
        const record = { agent_id, origin, sx_number: counted.state, issued_at: registered_at };
        await decide(
          agents,
          target,
          agents.register({
            ...{ agent_id, sx_number: counted.state, display_name: null, registered_at },
            passport_hash: agents.passportHash(record),
          }),
        );
        const proof = proofs[at];
        if (proof) await bind(decide, agent_id, counted.state, proof);
        if (at === 0) await decide(agents, target, agents.describe({ ...CARD, described_at: registered_at }));
      }
    },
    { meta },
  );
}

/** The first agent has an A2A card, which the example of soul_agent_card names. */
const CARD = {
  about: null,
  version: "1.0",
  services: [{ name: "A2A", endpoint: "https://clerk.example.org/a2a", version: "1.0" }],
  by: null,
  challenge_sha256: null,
};

type Proof = { kid: string; public: string; challenge_sha256: string; proven_at: string };

/** Signs and checks a challenge like any agent's. */
async function signed(app: App, wallet: DemoWallet, agent_id: string): Promise<Proof> {
  const address = lowerCase(wallet.address);
  const key: PublicKey = { kind: "evm", public: address, kid: address };
  const now = app.clock.now();
  const salt = Buffer.from(app.random.bytes(8)).toString("hex");
  const issuer = { public_url: app.settings.public_url, secret: app.link_secret };
  const issued_at = Math.floor(now.getTime() / 1_000);
  const text = challengeText(issuer, { agent_id, key, purpose: "prove", about: null, issued_at, salt });
  const signature = await wallet.signMessage({ message: text });
  if (!keySignature(textDigest(text), address, lowerCase(signature), app.recover))
    throw new Error(`the demo wallet ${address} signs otherwise than it should`);
  return {
    ...{ kid: address, public: address, challenge_sha256: challengeDigest(text) },
    proven_at: now.toISOString(),
  };
}

async function bind(decide: InUnit["decide"], agent_id: string, sx_number: number, proof: Proof) {
  const { kid, proven_at } = proof;
  await decide(
    agentKey,
    agentKey.targetOf(kid),
    agentKey.bind({ kid, sx_number, bound_at: proven_at }, null),
  );
  const key = { ...proof, kind: "evm" as const, method: "eip191" as const, endorsed_by: null };
  await decide(agents, agents.targetOf(agent_id), agents.prove(key, { by_api_key: false, rotating: null }));
}

async function attestAll(app: App): Promise<void> {
  const known = await Promise.all(
    sandboxAgentIds.map((agent_id) => app.load(agents, agents.targetOf(agent_id))),
  );
  const numbers = known.map((state) => agents.registered(state).facts.sx_number);
  const at = app.clock.now().toISOString();
  await app.commit(
    async ({ decide }) => {
      for (const [index, { seeded }] of NAMES.entries())
        if (seeded !== undefined)
          await decide(
            trust,
            trust.target,
            trust.seed({
              sx_number: numbers[index]!,
              points_micro: seeded * 1_000_000,
              reason: "sandbox: invented, so that there is something to show",
              seeded_at: at,
            }),
          );
      for (const { from, to, skill, weight } of attestationPlans()) {
        const attestation_id = attestationId(from, to, skill);
        const facts = {
          ...{
            attestation_id,
            from: numbers[from]!,
            to: numbers[to]!,
            skill,
            weight_micro: weight * 1_000_000,
          },
          ...{ evidence: null, payment_id: null, recipient: null, offchain_uid: null, made_at: at },
        };
        await decide(attestations, attestations.targetOf(attestation_id), attestations.make(facts));
      }
    },
    { meta },
  );
}

type AttestationPlan = { from: number; to: number; skill: string; weight: number };

/** The same in every sandbox: trusted agents attest others; a ring that attests only itself earns nothing. */
function attestationPlans(): AttestationPlan[] {
  const draw = drawer("tallystick sandbox agents");
  const ring = NAMES.flatMap(({ name }, index) => (name.startsWith("ring-") ? index : []));
  const others = NAMES.length - ring.length;
  const said: AttestationPlan[] = [{ from: 0, to: 1, skill: SKILLS[0]!, weight: 5 }];
  for (let from = 0; from < others; from++)
    for (let n = 0; n < (from < 9 ? 2 * SAID : SAID - 1); n++) {
      const to = draw(others);
      const skill = SKILLS[draw(SKILLS.length)]!;
      const isSaid = said.some((one) => one.from === from && one.to === to && one.skill === skill);
      if (to !== from && !isSaid) said.push({ from, to, skill, weight: 1 + draw(10) });
    }
  for (const from of ring)
    for (const to of ring) if (from !== to) said.push({ from, to, skill: "honesty", weight: 10 });
  return said;
}

/** Integers below a bound, deterministic by name. */
export function drawer(name: string): (below: number) => number {
  let drawn = 0;
  return (below) => digestOf(`${name} ${drawn++}`).readUInt32BE() % below;
}
