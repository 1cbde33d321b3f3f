/** Takes one turn of the seeds, and ends itself as kill -9 would at the step named by DIES_AT. */
import pino from "pino";
import { openHouse } from "../../src/compose.ts";
import { readConfig } from "../../src/config.ts";
import { takeSeedTurn } from "../../src/reactors/rng/start.ts";

const { DIES_AT, ...env } = process.env;
const dieAt = (step: string) => {
  if (DIES_AT === step) process.kill(process.pid, "SIGKILL");
};

const { app } = await openHouse(readConfig(env), pino({ enabled: false }), { chain: true });
const { chain, store } = app;
const { append } = store;
const { send } = chain;

chain.send = async (call, options) => {
  dieAt("before it is sent");
  const receipt = await send(call, options);
  dieAt("after it is mined");
  return receipt;
};
store.append = async (commit) => {
  const types = commit.appends.flatMap(({ events }) => events.map(({ type }) => type));
  const result = await append(commit);
  for (const type of types) dieAt(`after ${type}`);
  return result;
};

await takeSeedTurn(app);
