/**
 * A service that ends itself, as kill -9 would, when a second paid call comes to the step named by DIES_AT; the first one
 * stops there and is told of by a line. So each death leaves two payments at the same step.
 */
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { script, wares } from "./wares.ts";

const { DIES_AT, DATABASE, RPC, GAS_KEY, PAY_TO } = process.env as Record<string, string>;

let arrived = 0;
const dieAt = async (step: string) => {
  if (DIES_AT !== step) return;
  if (++arrived === 2) process.kill(process.pid, "SIGKILL");
  process.stdout.write("arrived\n");
  await new Promise(() => undefined);
};

const service = await startService({
  operations: wares,
  database_url: DATABASE!,
  chain: { rpc_url: RPC!, gas_key: GAS_KEY!, pay_to: PAY_TO! },
});
const { settlement, store, answers } = service.app;
const { facts, settle } = settlement;
const { append } = store;
const { keep } = answers;

/** The nonce after the last transaction that the node has of the gas key. */
async function sentSoFar(): Promise<unknown> {
  const params = [service.app.chain.sender, "pending"];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getTransactionCount", params });
  const answer = await fetch(RPC!, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return ((await answer.json()) as { result: unknown }).result;
}

settlement.facts = async (payment) => {
  const found = await facts(payment);
  await dieAt("after the facts");
  return found;
};
script.before = () => dieAt("in the handler");
settlement.settle = async (payment, seen_block) => {
  const before = await sentSoFar();
  const mined = settle(payment, seen_block);
  if (DIES_AT === "while it is sent") {
    // Once the transaction is in the node's hands, nobody here need wait for it.
    await until(async () => (await sentSoFar()) !== before);
    await dieAt("while it is sent");
  }
  const receipt = await mined;
  await dieAt("after it is settled");
  return receipt;
};
answers.keep = async (name, answer) => {
  await keep(name, answer);
  await dieAt("after the answer is kept");
};
store.append = async (commit) => {
  const types = commit.appends.flatMap(({ events }) => events.map(({ type }) => type));
  if (types.includes("PaymentClaimed")) await dieAt("before the claim");
  const result = await append(commit);
  if (types.includes("PaymentClaimed")) await dieAt("after the claim");
  if (types.includes("PaymentSettled")) await dieAt("after it is recorded");
  return result;
};
process.stdout.write(`${service.url}\n`);
