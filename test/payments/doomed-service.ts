/**
 * A service that ends itself, as kill -9 would, when a second paid call comes to the step named by DIES_AT; the first one
 * stops there and is told of by a line. So each death leaves two payments at the same step.
 */
import { startService } from "../support/service.ts";
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

settlement.facts = async (payment) => {
  const found = await facts(payment);
  await dieAt("after the facts");
  return found;
};
script.before = () => dieAt("in the handler");
/** Told when the node has taken the next transaction. */
const onBroadcast: (() => void)[] = [];
const { fetch } = globalThis;
globalThis.fetch = async (...asked) => {
  const answer = await fetch(...asked);
  if (String(asked[1]?.body).includes("eth_sendRawTransaction"))
    for (const tell of onBroadcast.splice(0)) tell();
  return answer;
};
settlement.settle = async (payment, seen_block) => {
  const broadcast = new Promise<void>((tell) => onBroadcast.push(tell));
  const mined = settle(payment, seen_block);
  if (DIES_AT === "while it is sent") {
    // The transaction is in the node's hands, and nobody here waits for it any more.
    await broadcast;
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
