/** A service that runs skills over the sandbox, with its vault, and payers of executions. */
import type { HDAccount } from "viem/accounts";
import type { z } from "zod";
import type { executionShown } from "../../src/api/operations/skills/fields.ts";
import { runFor } from "../../src/api/operations/skills/run-skill.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import type { Execution } from "../../src/domain/skills/execution.ts";
import * as executions from "../../src/domain/skills/execution.ts";
import { executionsProjection } from "../../src/projections/skills/executions.ts";
import { skillsReactor } from "../../src/reactors/skills/run.ts";
import { buy } from "../support/buyer.ts";
import { freshDatabase } from "../support/database.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { walletProof } from "../support/wallet-proof.ts";

export type Shown = z.infer<typeof executionShown>;
export type Answer<Data = Shown> = {
  status: number;
  data: Data;
  errors?: { path: string; message: string }[];
  detail?: string;
};
export type Headers = Record<string, string>;

export const EXAMPLE = {
  agent: "strategist",
  task: "How dependent is Latvia on imports of mineral fuels?",
} as const;

export type SkillsSetup = Awaited<ReturnType<typeof openSkills>>;

export async function openSkills(chain?: "embedded", env: Record<string, string> = {}) {
  const vault = await freshDatabase();
  const service: Service & { database_url: string } = await startService({
    // Calls count the executions that wait, as far as they are folded.
    ...{ vault: vault.url, env, folds: "all" },
    ...(chain && { chain }),
  });
  await openSandbox(service);
  const { app } = service;
  const init = (headers: Headers, body?: object, method = body ? "POST" : "GET"): RequestInit => ({
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const urlOf = (path: string) => `${service.url}/v1/agent/skills/${path}`;
  const answered = async <Data>(response: Response): Promise<Answer<Data>> => ({
    status: response.status,
    ...((await response.json()) as Omit<Answer<Data>, "status">),
  });
  return {
    service,
    app,
    vault_url: vault.url,
    ask: async <Data = Shown>(headers: Headers, path: string, body?: object, method?: string) =>
      answered<Data>(await fetch(urlOf(path), init(headers, body, method))),
    pays: async <Data = Shown>(wallet: HDAccount, path: string, body: object) =>
      answered<Data>((await buy(wallet, urlOf(path), init({}, body))).answer),
    /** Asks about an execution as the wallet that paid. */
    owns: async (wallet: HDAccount, method: "GET" | "DELETE", execution_id: string) => {
      const path = `/v1/agent/skills/executions/${execution_id}`;
      const proof = await walletProof(wallet, service.url + path, { method });
      return answered<Shown>(await fetch(service.url + path, init(proof, undefined, method)));
    },
    /** One tick of this process's worker. */
    works: (reactor = skillsReactor(runFor)) => turn(app, reactor, { patient: true }),
    storyOf: async (tenant: string, execution_id: string) =>
      (await app.store.readStream({ tenant, stream_id: executions.streamOf(execution_id) })).map(
        ({ type }) => type,
      ),
    executionOf: async (tenant: string, execution_id: string): Promise<Execution> =>
      executions.existingExecution(await app.load(executions, executions.targetOf(tenant, execution_id))),
    /** The payment for an execution and its refund, in micro-USDC. */
    moneyOf: async ({ facts: { payment_id } }: Execution) => {
      const payment = (await app.load(payments, payments.targetOf(payment_id!)))!;
      return {
        status: payment.status,
        paid: payment.claim.amount_micro,
        back: payment.refund?.amount_micro ?? 0,
      };
    },
    /** Waits until the list of executions has the whole log. */
    folded: () => app.caughtUp(executionsProjection, { wait_ms: 30_000 }),
    stop: async () => {
      await service.stop();
      await vault.drop();
    },
  };
}
