/**
 * A service that ends itself, as kill -9 would, when a second paid call comes to the step named by DIES_AT; the first one
 * stops there and is told of by a line. So each death leaves two payments at the same step. A line that it reads, such as
 * "pause after the claim", has the next call pause the whole process at that step, as SIGSTOP does, until it is woken; "stick
 * after the claim" has that call go no further.
 */
import { createInterface } from "node:readline";
import { aroundCommits, typesOf } from "../support/around-commits.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { script, wares } from "./wares.ts";

const { DIES_AT, DATABASE, RPC, GAS_KEY, PAY_TO } = process.env as Record<string, string>;

let arrived = 0;
let told = { what: "die", step: DIES_AT };
createInterface({ input: process.stdin }).on("line", (line) => {
  const [what, ...step] = line.split(" ");
  told = { what: what!, step: step.join(" ") };
});

const stopAt = async (step: string) => {
  const { what } = told;
  if (told.step !== step) return;
  if (what === "die" && ++arrived === 2) process.kill(process.pid, "SIGKILL");
  if (what !== "die") told = { what, step: "none" };
  process.stdout.write("arrived\n");
  if (what === "pause") process.kill(process.pid, "SIGSTOP");
  else await new Promise(() => undefined);
};

const service = await startService({
  operations: wares,
  database_url: DATABASE!,
  chain: { rpc_url: RPC!, gas_key: GAS_KEY!, pay_to: PAY_TO! },
  // The endpoints of x402 are free, and all callers of a test share an address.
  env: { OPEN_CALLS_PER_MINUTE: "100000", SETTLE_OPEN: "1" },
});
const { settlement, store, answers } = service.app;
const { facts, settle } = settlement;
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
  await stopAt("after the facts");
  return found;
};
script.before = () => stopAt("in the handler");
settlement.settle = async (payment, seen_block) => {
  const before = await sentSoFar();
  const mined = settle(payment, seen_block);
  if (told.step === "while it is sent") {
    // Once the transaction is in the node's hands, nobody here need wait for it.
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
