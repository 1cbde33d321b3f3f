/** Agents, payments and attestations in the log of a service, and ticks of the reactor that computes scores. */
import { randomBytes } from "node:crypto";
import { type App, withParts } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as nodes from "../../src/domain/compute/node.ts";
import * as tasks from "../../src/domain/compute/task.ts";
import * as agents from "../../src/domain/identity/agent.ts";
import * as agentKeys from "../../src/domain/identity/agent-key.ts";
import * as links from "../../src/domain/identity/links.ts";
import * as passports from "../../src/domain/identity/passports.ts";
import * as account from "../../src/domain/payments/account.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import * as attestations from "../../src/domain/trust/attestation.ts";
import * as trust from "../../src/domain/trust/trust.ts";
import { trustProjection } from "../../src/projections/trust/trust.ts";
import { stepTask } from "../../src/reactors/compute/steps.ts";
import { trustReactor } from "../../src/reactors/trust/compute.ts";
import { turn } from "../support/turns.ts";
import { LIMIT_MS } from "../support/until.ts";

const meta = { actor: "test", operation: "test" };
const hash = (): Hex => `0x${randomBytes(32).toString("hex")}`;
const at = () => new Date().toISOString();
const digest = () => randomBytes(32).toString("hex");

export const walletOf = (n: number): Hex => `0x${n.toString(16).padStart(40, "0")}`;

export type Agency = ReturnType<typeof agencyOf>;

export function agencyOf(app: App) {
  const target = (n: number) => agents.targetOf(`agent.no-${n}`);
  const decideOn = (n: number, decision: (state: agents.AgentState) => agents.AgentEvent[]) =>
    app.decide(agents, target(n), decision, { meta });
  const onPayment = (id: string, decision: (state: payments.PaymentState) => payments.PaymentEvent[]) =>
    app.decide(payments, payments.targetOf(id), decision, { meta });
  const onTrust = (decision: (state: trust.TrustState) => trust.TrustEvent[]) =>
    app.decide(trust, trust.target, decision, { meta });
  return {
    /** The agent of this number, which must be the next. */
    async register(n: number) {
      const agent_id = `agent.no-${n}`;
      const registered_at = at();
      const { result } = await app.decide(passports, passports.target, passports.issue(agent_id), { meta });
      const facts = { agent_id, sx_number: result.state, display_name: null, registered_at };
      const passport_hash = agents.passportHash({
        agent_id,
        issued_at: registered_at,
        origin: "test",
        sx_number: n,
      });
      await decideOn(n, agents.register({ ...facts, passport_hash }));
      return facts.sx_number;
    },
    prove: (n: number, wallet: Hex = walletOf(n)) =>
      decideOn(
        n,
        agents.prove(
          {
            ...{ kid: wallet, kind: "evm", public: wallet, method: "eip191" },
            ...{ challenge_sha256: digest(), endorsed_by: null, proven_at: at() },
          },
          { by_api_key: true, rotating: null },
        ),
      ),
    /** Records the owner of a key, as its proof does in the same commit. */
    bind: (n: number, wallet: Hex) =>
      app.decide(
        agentKeys,
        agentKeys.targetOf(wallet),
        agentKeys.bind({ kid: wallet, sx_number: n, bound_at: at() }, null),
        {
          meta,
        },
      ),
    unprove: (n: number, kid: string = walletOf(n)) =>
      decideOn(n, agents.revokeKey({ kid, by: null, challenge_sha256: null, revoked_at: at() })),
    suspend: (n: number) => decideOn(n, agents.suspend({ reason: "test", suspended_at: at() })),
    reinstate: (n: number) => decideOn(n, agents.reinstate({ reason: "test", reinstated_at: at() })),
    revoke: (n: number) =>
      decideOn(
        n,
        agents.revokePassport({ by: null, reason: "test", challenge_sha256: null, revoked_at: at() }),
      ),
    delegate: (n: number, to: number, kid: string) =>
      decideOn(
        n,
        agents.delegate({
          ...{
            delegation_id: randomBytes(16).toString("hex"),
            to,
            scopes: ["read"],
            max_spend_micro: 0,
            kid,
          },
          ...{ challenge_sha256: digest(), delegated_at: at(), expires_at: "2099-01-01T00:00:00.000Z" },
        }),
      ),
    linkDomain: (n: number, domain: string, kid: string) =>
      decideOn(
        n,
        links.link({
          ...{ kind: "domain", network: null, ref: domain, kid, cause: "asked", by: kid },
          ...{ challenge_sha256: digest(), block_number: null, block_hash: null, linked_at: at() },
        }),
      ),
    /** A settled paid call; returns the payment's id. */
    async pay(
      payer: Hex,
      usdc: number,
      { operation = "trade_balance", answered = true, tenant = payments.walletTenant(payer) } = {},
    ): Promise<string> {
      const name = { network: "eip155:8453", asset: USDC.address.toLowerCase() as Hex, payer, nonce: hash() };
      const id = payments.idOf(name);
      const claim: payments.Claim = {
        ...name,
        pay_to: app.pay_to,
        amount_micro: Math.round(usdc * 1_000_000),
        valid_after: "0",
        valid_before: "4000000000",
        signature: `0x${"00".repeat(65)}`,
        operation,
        request_sha256: "ab".repeat(32),
        tenant,
        seen_block: 1,
        claimed_at: at(),
        holder: null,
      };
      await onPayment(id, payments.claim(claim));
      await this.settle(id, answered);
      return id;
    },
    /**
     * A tenant's task of 0.1 USDC for this agent's node, which takes no time: paid, refuted by a re-run, or lost in a
     * dispute. Returns its id.
     */
    async task(n: number, tenant: string, end: "paid" | "refuted" | "lost"): Promise<string> {
      const task_id = randomBytes(16).toString("hex");
      const [price_micro, now] = [100_000, at()];
      const offer = {
        capabilities: ["cpu" as const],
        kinds: [],
        hourly_rate_micro: 36_000_000,
        max_concurrent: 1,
      };
      const of = (who: string) => account.targetOf(who);
      const credit = (amount_micro: number) => account.credit({ source: "gift", amount_micro, at: now });
      await app.decide(nodes, nodes.targetOf(n), nodes.register({ ...offer, registered_at: now }), { meta });
      await app.decide(account, of(tenant), credit(2 * price_micro), { meta });
      await app.decide(account, of(`soul:${n}`), credit(price_micro), { meta });
      const hold = { hold_id: tasks.holdOf(task_id), amount_micro: price_micro, for: "a task" };
      await app.decide(account, of(tenant), account.hold(hold, now), { meta });
      const verify = end === "refuted" ? ("rerun" as const) : ("requester" as const);
      const terms = { max_price_micro: price_micro, limit_s: 10, verify, min_trust: 0, quorum: null };
      const deadline_at = "2099-01-01T00:00:00.000Z";
      const facts = {
        task_id,
        kind: "translate",
        input_sha256: digest(),
        input_bytes: 1,
        copy_of: null,
        submitted_at: now,
      };
      const lease_sha256 = digest();
      const result = {
        output_sha256: digest(),
        output_bytes: 1,
        exit: "ok" as const,
        used_ms: null,
        receipt: null,
        seed: null,
      };
      const bonds = { bond_micro: 10_000, requester_bond_micro: 10_000 };
      const audited = { expected_sha256: digest(), engine_sha256: null, draw: null, audited_at: now };
      const wanted = { sx: n, hourly_rate_micro: offer.hourly_rate_micro, lease_sha256, bound: [] };
      const ends = {
        paid: [tasks.accept("requester", now), tasks.settle(now)],
        refuted: [tasks.audit({ verdict: "mismatch", ...audited })],
        lost: [
          tasks.reject({ reason_sha256: null, rejected_at: now }),
          tasks.dispute(bonds, now),
          tasks.decideDispute({ by: "operator", verdict: "requester", reason: "test", decided_at: now }),
        ],
      };
      for (const decision of [
        tasks.submit({ ...facts, terms: { ...terms, assign: null, window_s: 60, deadline_at } }),
        tasks.lease(wanted, tenant, now),
        tasks.takeResult(lease_sha256, { ...result, submitted_at: now }),
        ...ends[end],
      ])
        await app.commit((unit) => stepTask(unit, { tenant, task_id }, decision), { meta });
      return task_id;
    },
    settle: (id: string, answered = true) =>
      onPayment(
        id,
        payments.settle(
          { transaction: hash(), block_number: 2, block_hash: hash(), fee_wei: "1" },
          answered ? { status: 200, sha256: digest(), vintage: null } : null,
          at(),
        ),
      ),
    reorg: (id: string) =>
      onPayment(id, (state) =>
        state?.status === "settled" ? payments.reorg(state.settlement.transaction, at())(state) : [],
      ),
    refund: (id: string) => onPayment(id, payments.openRefund("test", at())),
    async attest(from: number, to: number, weight = 10, skill = "honesty"): Promise<string> {
      const attestation_id = randomBytes(16).toString("hex");
      const facts: attestations.AttestationFacts = {
        ...{ attestation_id, from, to, skill, weight_micro: Math.round(weight * 1_000_000) },
        ...{ evidence: null, payment_id: null, recipient: null, offchain_uid: null, made_at: at() },
      };
      await app.decide(attestations, attestations.targetOf(attestation_id), attestations.make(facts), {
        meta,
      });
      return attestation_id;
    },
    takeBack: (id: string, by: number) =>
      app.decide(attestations, attestations.targetOf(id), attestations.revoke(by, at()), { meta }),
    seed: (sx_number: number, points: number) =>
      onTrust(trust.seed({ sx_number, points_micro: points * 1_000_000, reason: "test", seeded_at: at() })),
    /** A tick at this time; events recorded after its day count in full. */
    async compute(time: number) {
      const { position } = await app.store.head();
      await app.runner.reached(trustProjection, position, LIMIT_MS);
      const clock = { now: () => new Date(time) };
      return turn(withParts(app, { clock }), trustReactor);
    },
    /** Scores of the newest day in points, by number. */
    async scores(): Promise<Record<number, number>> {
      const { rows } = await app.pool.query<{ sx: number; score: number }>(
        `select sx::int, score::float8 from read.trust_scores_v3
         where day = (select max(day) from read.trust_computed_v3 where kept) and score > 0 order by sx`,
      );
      return Object.fromEntries(rows.map(({ sx, score }) => [sx, score / 1_000_000]));
    },
  };
}
