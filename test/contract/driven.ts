/** A service whose examples can be called: real operations create each area's example data. */
import type { Operation } from "../../src/api/declare/operation.ts";
import { exampleOf } from "../../src/api/describe/reference.ts";
import { areas } from "../../src/areas/index.ts";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { openSandboxExamples } from "../../src/operator/sandbox-examples.ts";
import { openSandboxShop } from "../../src/operator/sandbox-shop.ts";
import { airdropExamples } from "../support/airdropped.ts";
import { attestExamples } from "../support/attested.ts";
import { channelExample, claimExample } from "../support/claimed.ts";
import { computeExamples, disputeExample, payInForExample, resultExample } from "../support/computed.ts";
import { describeExamples } from "../support/described.ts";
import { newsExample } from "../support/handed-in.ts";
import { identifyExamples } from "../support/identified.ts";
import { signExample } from "../support/log-example.ts";
import { emptyAccount, marketExamples, unfundedExample } from "../support/marketed.ts";
import { reportExample } from "../support/reported.ts";
import { allBetOn, FRESH, openSandbox, openSandboxLv } from "../support/sandbox.ts";
import { sealExample } from "../support/sealed.ts";
import { type ServiceOptions, startService } from "../support/service.ts";
import { linkExample } from "../support/signed.ts";
import { skillExamples } from "../support/skilled.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";

/** Shared by servers of the same operator. */
const INTERNAL_TOKEN = "a token that servers of one operator share";

export type Driven = Awaited<ReturnType<typeof drive>>;

export type ExampleRequest = [url: string, init: RequestInit];

export const isInternal = ({ access }: Pick<Operation, "access">) =>
  access.every(({ kind }) => kind === "internal token");

/** True if only a payment gives access: a key then only identifies the caller. */
export const isBought = ({ access }: Operation) => access.every(({ payment }) => payment);

/** All areas, without the bets on the sandbox's forecasts, which take a minute. */
export const areasWithoutBets = areas.map((area) =>
  area.name === "signals" ? { ...area, reactors: [] } : area,
);

export async function drive(options: ServiceOptions = {}) {
  const service = await startService({
    env: { OPEN_CALLS_PER_MINUTE: "10000", INTERNAL_TOKEN },
    chain: "embedded",
    reactors: true,
    vault: true,
    ...options,
  });
  // Every documented example has to run on what a first start makes.
  await openSandbox(service, FRESH);
  await openSandboxLv(service, FRESH);
  await claimExample(service.app);
  await channelExample(service.app);
  await signExample(service.app);
  await airdropExamples(service.app);
  await openSandboxShop(service.app);
  await until(() => openSandboxExamples(service.app, "acme"));
  const { active } = await service.app.load(seeds, seeds.targetOf("live"));
  const seed = { seed_hash: active!.seed_hash };
  const identified = await identifyExamples(service.url);
  /** An agent's own key. */
  const { own } = identified;
  /** Inputs that no example can know in advance. */
  const live: Record<string, Record<string, unknown>> = {
    // It exists, and only its first registration gives a key without a proof.
    soul_register: { agent_id: "weather-scout", display_name: "Weather Scout" },
    trade_snapshot_file: linkExample(service.app),
    rng_anchor_commit: seed,
    rng_anchor_verify: seed,
    ...identified.inputs,
    ...(await attestExamples(service.app, addressOf(wallet(1)))),
  };
  Object.assign(live, await describeExamples(service));
  const mine: Record<string, string> = (
    await service.issue({ scopes: ["read", "quote", "order", "skill", "skill_sensitive", "node", "admin"] })
  ).headers;
  const computed = await computeExamples(service, mine);
  /** The key of an agent with a node. */
  const agents: Record<string, string> = computed.node;
  Object.assign(live, computed.inputs);
  live.vintage = { vintage: service.app.data.vintages.open()[0]!.vintage };
  live.report = await reportExample(service, mine);
  await newsExample(service, INTERNAL_TOKEN);
  Object.assign(live, await skillExamples(service, mine));
  Object.assign(live, await marketExamples(service, { creator: mine, agent: own }));
  if (options.areas !== areasWithoutBets) await allBetOn(service);

  /** The caller: an agent's own key if no other gives access. */
  const credentialsFor = ({ access, area }: Operation): Record<string, string> => {
    if (isInternal({ access })) return { "X-Internal-Token": INTERNAL_TOKEN };
    const isAgentsAlone = ({ kind, scope }: (typeof access)[number]) =>
      kind === "subject's key" || (kind === "account" && scope === undefined);
    if (!access.every(isAgentsAlone)) return mine;
    return area === "compute" ? agents : own;
  };

  /** Data that an example uses up, restored before its call. */
  const renewed: Record<string, () => Promise<unknown>> = {
    commerce_erase: () => sealExample(service.app),
    compute_submit: () => emptyAccount(service.app),
    // A lease expires after some time, which a busy machine may need for the earlier calls.
    compute_result: async () => {
      live.compute_result = await resultExample(service, mine, agents);
    },
    compute_dispute: async () => {
      live.compute_dispute = await disputeExample(service, mine, agents);
    },
    compute_withdraw: () => payInForExample(service.app),
    soul_bounty_fund: async () => {
      await emptyAccount(service.app);
      live.soul_bounty_fund = await unfundedExample(service);
    },
  };

  /** How to call an operation with an input. */
  function request(
    operation: Operation,
    input: Record<string, unknown>,
    headers: Record<string, string>,
  ): ExampleRequest {
    const written = exampleOf({ ...operation, example: input });
    const [, method, path, body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(written)!;
    const sent = body ? { ...headers, "Content-Type": "application/json" } : headers;
    return [service.url + path, { method: method!, headers: sent, ...(body && { body }) }];
  }

  return {
    ...{ service, mine, own, live, credentialsFor, request },
    /** Its example, or its replacement: a signed link lasts minutes, and a seed is known once it exists. */
    exampleFor: ({ name, example }: Operation) => live[name] ?? example,
    /** Restores the data that an operation's example uses up. */
    renew: async ({ name }: Operation) => void (await renewed[name]?.()),
  };
}
