/** The service of a process that ends itself like kill -9, at the step named by DIES_AT. */
import pino from "pino";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { openRuntime } from "../../src/runtime/assemble.ts";
import { aroundCommits, typesOf } from "./around-commits.ts";
import { patientConfig } from "./patience.ts";
import { replaceable } from "./replace.ts";
import { until } from "./until.ts";

/** Steps by the type of the appended event. */
export type Steps = {
  before?: Record<string, string>;
  after?: Record<string, string>;
  /** False if no chain is needed. */
  chain?: boolean;
};

export const silent = pino({ enabled: false });

/**
 * For each transaction it may die `before it is sent`, `while it is sent` and `after it is mined`; for appends at
 * `steps`.
 */
export async function openDoomed({ before = {}, after = {}, chain: has_chain = true }: Steps): Promise<App> {
  const { DIES_AT, ...env } = process.env;
  const dieAt = (step: string | undefined) => {
    if (DIES_AT === step) process.kill(process.pid, "SIGKILL");
  };
  const { app } = await openRuntime(patientConfig(env), silent, { chain: has_chain, replaces: replaceable });
  const { chain } = app;
  const { send } = chain;

  /** The nonce after the node's last transaction of the gas key. */
  const sentSoFar = async (): Promise<Hex> => {
    const params = [chain.sender, "pending"];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getTransactionCount", params });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(env.BASE_RPC_URL!, { method: "POST", headers, body });
    return ((await answer.json()) as { result: Hex }).result;
  };

  chain.send = async (call, options) => {
    dieAt("before it is sent");
    const sent = await sentSoFar();
    const mined = send(call, options);
    await until(async () => DIES_AT !== "while it is sent" || (await sentSoFar()) !== sent);
    dieAt("while it is sent");
    const receipt = await mined;
    dieAt("after it is mined");
    return receipt;
  };
  aroundCommits(app.store, async (commit, send) => {
    const types = typesOf(commit);
    for (const type of types) if (before[type]) dieAt(before[type]);
    const result = await send();
    for (const type of types) if (after[type]) dieAt(after[type]);
    return result;
  });
  return app;
}
