/** Pays airdrops, and ends itself as kill -9 would at the step named by DIES_AT. */
import pino from "pino";
import { openHouse } from "../../src/compose.ts";
import { readConfig } from "../../src/config.ts";
import type { Hex } from "../../src/domain/ports.ts";
import { takeWalletTurn } from "../../src/reactors/wallet/start.ts";

const { DIES_AT, ...env } = process.env;
const dieAt = (step: string) => {
  if (DIES_AT === step) process.kill(process.pid, "SIGKILL");
};

const log = pino({ enabled: false });
const { app } = await openHouse(readConfig(env), log, { chain: true });
const { chain, store } = app;
const { append } = store;
const { send } = chain;

/** The nonce after the last transaction that the node has of the gas key. */
async function sentSoFar(): Promise<Hex> {
  const params = [chain.sender, "pending"];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getTransactionCount", params });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(env.BASE_RPC_URL!, { method: "POST", headers, body });
  return ((await answer.json()) as { result: Hex }).result;
}

chain.send = async (call, options) => {
  dieAt("before it is sent");
  const before = await sentSoFar();
  const mined = send(call, options);
  while (DIES_AT === "while it is sent" && (await sentSoFar()) === before)
    await new Promise((wake) => setTimeout(wake, 5));
  dieAt("while it is sent");
  const receipt = await mined;
  dieAt("after it is mined");
  return receipt;
};
store.append = async (commit) => {
  const types = commit.appends.flatMap(({ events }) => events.map(({ type }) => type));
  if (types.includes("AirdropSent")) dieAt("before it is said");
  const result = await append(commit);
  if (types.includes("AirdropPaid")) dieAt("after it is recorded");
  return result;
};

await takeWalletTurn(app, { log });
