/** Every documented example, sent unchanged to a first start, with the key that it prints. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { proofs } from "../../src/api/agents/authority.ts";
import type { Operation } from "../../src/api/declare/operation.ts";
import { exampleOf } from "../../src/api/describe/reference.ts";
import { buy } from "../support/buyer.ts";
import { catalogue } from "../support/catalogue.ts";
import { type FirstStart, firstStart } from "../support/first-start.ts";
import { until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";

const SIGNED = "an agent's live key signs the text of a soul_challenge first";
const SEALED = "a new log has no sealed segment";

/** Examples that no first start can run as they stand. */
const NOT_RUN: Record<string, string> = {
  soul_attestation_revoke: SIGNED,
  soul_delegate: SIGNED,
  soul_keys_add: SIGNED,
  soul_link: SIGNED,
  soul_passport_revoke: SIGNED,
  log_segment_file: SEALED,
  log_segment_proof: SEALED,
  channel_status: "a channel begins with its deposit on the chain: `tallystick demo channel`",
  compute_dispute: "the requester must have rejected the result",
  compute_withdraw: "money can be withdrawn a day after it came",
  trade_snapshot_file: "its link is signed and lasts minutes: `url` of trade_snapshot",
};

const INTERNAL_TOKEN = "a token that servers of one operator share";

/** The first agent of the sandbox signs with this wallet, which pays for what only a payment buys. */
const payer = wallet(1);

/** The agent that soul_register's example registers. */
const AGENT = "weather-scout";

type Headers = Record<string, string>;
type Way = "sandbox key" | "agent's own key" | "admin key" | "operator's token";
type Fields = Record<string, unknown>;

let service: FirstStart;
let headers: Record<Way, Headers>;

beforeAll(async () => {
  service = await firstStart({ CHECKPOINT_SECONDS: "3", INTERNAL_TOKEN, OPEN_CALLS_PER_MINUTE: "10000" });
  const issued = JSON.parse(
    await service.command("keys", "issue", "--tenant", "me", "--scopes", "admin", "--json"),
  );
  headers = {
    "sandbox key": { Authorization: `Bearer ${service.key}` },
    "agent's own key": {},
    "admin key": { Authorization: `Bearer ${issued.secret}` },
    "operator's token": { "X-Internal-Token": INTERNAL_TOKEN },
  };
  // Made just after the start: the things that examples name, the agents' purchases and a checkpoint.
  for (const name of ["alerts_status", "payment_status", "log_checkpoint"])
    await until(async () => (await send(byName.get(name)!)).status === 200);
});
afterAll(() => service?.stop());

const byName = new Map(catalogue.map((one) => [one.name, one]));

function wayTo({ access, example }: Operation): Way {
  const own = access.filter(({ payment }) => !payment);
  if (access[0] === proofs && example.id === AGENT) return "agent's own key";
  if (access.every(({ kind }) => kind === "internal token")) return "operator's token";
  if (
    access.every(({ kind, scope }) => kind === "subject's key" || (kind === "account" && scope === undefined))
  )
    return "agent's own key";
  return own.length > 0 && own.every(({ scope }) => scope === "admin") ? "admin key" : "sandbox key";
}

type Sent = { status: number; body: Fields; text: string };

/** Sends an example, with fields of earlier answers; a 402 is paid. */
async function send(operation: Operation, found: Fields = {}): Promise<Sent> {
  const taken = Object.entries(found).filter(([name]) => name in operation.example);
  const example = { ...operation.example, ...Object.fromEntries(taken) };
  const [, method, path, body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(exampleOf({ ...operation, example }))!;
  const init = {
    method: method!,
    headers: { ...headers[wayTo(operation)], ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body }),
  };
  let answer = await fetch(service.url + path, init);
  if (answer.status === 402) answer = (await buy(payer, service.url + path, init)).answer;
  const text = await answer.text();
  const { status } = answer;
  return { status, text, body: status < 400 ? parsed(text) : {} };
}

function parsed(text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return {};
  }
}

/** The first value of this name at any depth. */
function named(part: unknown, name: string): unknown {
  if (typeof part !== "object" || part === null) return undefined;
  if (name in part) return (part as Fields)[name];
  for (const inner of Object.values(part)) {
    const found = named(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Makes the calls that the documentation names, and sends the example with the fields that it takes from them. */
async function run(operation: Operation): Promise<Sent> {
  const found: Fields = {};
  for (const [field, calls] of Object.entries(operation.example_from ?? {}))
    for (const call of calls) {
      const source = byName.get(call)!;
      const sent = await send(source, found);
      // A bounty that its creator's account covers is funded when it opens.
      if (sent.status >= 400 && sent.status !== 409) return { ...sent, text: `${call}: ${sent.text}` };
      found[field] = named(sent.body, field) ?? found[field];
    }
  return send(operation, found);
}

test("every documented example runs on a first start", async () => {
  const failed: Record<string, string> = {};
  // Its answer has the key of the agent that others name, and only its first call.
  const registered = await run(byName.get("soul_register")!);
  headers["agent's own key"] = { Authorization: `Bearer ${registered.body.api_key}` };
  for (const operation of catalogue) {
    const sent = operation.name === "soul_register" ? registered : await run(operation);
    if (sent.status >= 400) failed[operation.name] = `${sent.status} ${sent.text.slice(0, 400)}`;
  }
  const unexpected = Object.entries(failed).filter(([name]) => !(name in NOT_RUN));
  expect(Object.fromEntries(unexpected)).toEqual({});
  expect(Object.keys(failed).sort()).toEqual(Object.keys(NOT_RUN).sort());
});
