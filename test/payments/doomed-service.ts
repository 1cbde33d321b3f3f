/**
 * A service that kills itself (as kill -9) when a second paid call reaches the step DIES_AT; the first one stops there
 * and prints a line. So each death leaves two payments at the same step. An input line such as "pause after the claim"
 * pauses the whole process at that step of the next call, as SIGSTOP does, until it is resumed; "stick after the claim"
 * blocks only that call.
 */
import { createInterface } from "node:readline";
import { aroundCommits, typesOf } from "../support/around-commits.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { sampleOperations, script } from "./sample-operations.ts";

const { DIES_AT, DATABASE, RPC, GAS_KEY, PAY_TO } = process.env as Record<string, string>;

let arrived = 0;
let order = { what: "die", step: DIES_AT };
createInterface({ input: process.stdin }).on("line", (line) => {
  const [what, ...step] = line.split(" ");
  order = { what: what!, step: step.join(" ") };
});

const stopAt = async (step: string) => {
  const { what } = order;
  if (order.step !== step) return;
  if (what === "die" && ++arrived === 2) process.kill(process.pid, "SIGKILL");
  if (what !== "die") order = { what, step: "none" };
  process.stdout.write("arrived\n");
  if (what === "pause") process.kill(process.pid, "SIGSTOP");
  else await new Promise(() => undefined);
};

const service = await startService({
  operations: sampleOperations,
  database_url: DATABASE!,
  chain: { rpc_url: RPC!, gas_key: GAS_KEY!, pay_to: PAY_TO! },
  // The x402 endpoints are free, and all callers of a test share an address.
  env: { OPEN_CALLS_PER_MINUTE: "100000", SETTLE_OPEN: "1" },
});
const { settlement, store, answers } = service.app;
const { facts, settle } = settlement;
const { keep } = answers;

/** The next nonce that the node has for the gas key. */
async function sentSoFar(): Promise<unknown> {
  const params = [service.app.chain.sender, "pending"];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getTransactionCount", params });
  const answer = await fetch(RPC!, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return ((await answer.json()) as { result: unknown }).result;
}

settlement.facts = async (payment) => {
  const found = await facts(payment);
  await stopAt("after the facts");
  return found;
};
script.before = () => stopAt("in the handler");
settlement.settle = async (payment, seen_block) => {
  const before = await sentSoFar();
  const mined = settle(payment, seen_block);
  if (order.step === "while it is sent") {
    // Once the node has the transaction, nobody here needs to wait for it.
    await until(async () => (await sentSoFar()) !== before);
    await stopAt("while it is sent");
  }
  const receipt = await mined;
  await stopAt("after it is settled");
  return receipt;
};
answers.keep = async (name, answer) => {
  await keep(name, answer);
  await stopAt("after the answer is kept");
};
aroundCommits(store, async (commit, send) => {
  const types = typesOf(commit);
  if (types.includes("PaymentClaimed")) await stopAt("before the claim");
  const result = await send();
  if (types.includes("PaymentClaimed")) await stopAt("after the claim");
  if (types.includes("PaymentSettled")) await stopAt("after it is recorded");
  return result;
});
process.stdout.write(`${service.url}\n`);
