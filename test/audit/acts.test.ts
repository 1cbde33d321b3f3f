/** Signed acts of agents: `verify` and docs/vectors/acts.py judge a log that lived, and forgeries of it, to the same counts. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportFile } from "../../eventstore/files/export.ts";
import { openExport } from "../../eventstore/verify/verify-export.ts";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import type { ActCounts } from "../../src/audit/acts.ts";
import { verifyPack } from "../../src/audit/verify-pack.ts";
import { type ComputeSetup, openComputeSetup, type TestNode } from "../compute/compute-setup.ts";
import { caller, delegation, ed25519Key, kidOf, PROXIED, type TestKey } from "../identity/agents.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { addressOf, wallet } from "../support/wallets.ts";

let setup: ComputeSetup;
let worker: TestNode;
let file: string;
const dir = mkdtempSync(join(tmpdir(), "tallystick-acts-"));
const keyOf = (n: number): TestKey => ({
  kind: "evm",
  name: wallet(n).address,
  sign: (message) => wallet(n).signMessage({ message }),
});
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function done<Body>(answer: Promise<{ status: number; body: Body }>): Promise<Body> {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}

const query = (fields: Record<string, string>) => `?${new URLSearchParams(fields)}`;
const signedCall = async (n: number, path: string, body: object) =>
  done(
    setup.ask(await walletProof(wallet(n), setup.service.url + path, { method: "POST", body }), path, body),
  );

/** A task of this requester with a result that waits for its verdict. */
async function waitingTask(submitted: Promise<{ status: number; body: object }>): Promise<string> {
  const { task_id } = (await done(submitted)) as { task_id: string };
  const task = await worker.pull("?wait_s=30");
  expect(task.task_id).toBe(task_id);
  await done(worker.gives(task, { text: "salut" }));
  return task_id;
}

beforeAll(async () => {
  setup = await openComputeSetup({ env: PROXIED, vault: true });
  const { app } = setup;
  const api = caller(setup.service.url);
  worker = await setup.node("worker");
  const [root, second, third] = [keyOf(1), ed25519Key(), ed25519Key()];
  const agent = "alice";
  const registered = await done(
    api.post("/soul/register", { agent_id: agent, ...(await api.proof(root, agent)) }),
  );
  const passport = registered.passport as { sx_id: string };
  const add = async (key: TestKey, by: TestKey, purpose: "prove" | "rotate") => {
    const endorsement = await api.proof(by, agent, purpose, await kidOf(api, key));
    const proof = await api.proof(key, agent);
    await done(api.post(`/soul/${agent}/keys`, { ...proof, endorsement, rotate: purpose === "rotate" }));
  };
  await add(second, root, "prove");
  await add(third, second, "rotate");
  const { api_key } = await done(
    api.post("/soul/register", { agent_id: agent, issue_api_key: true, ...(await api.proof(root, agent)) }),
  );
  const headers = { Authorization: `Bearer ${api_key}` };

  const limits = { scopes: ["read", "order"], expires_in_s: 3_600 };
  const delegated = { from: agent, to: `SX#${worker.sx}`, ...limits };
  const id = await delegation(api, { by: third, ...delegated, max_spend_usdc: "2.50" });
  const gone = await api.proof(root, agent, "revoke", id);
  await done(api.call("DELETE", `/soul/${agent}/delegations/${id}${query(gone)}`));
  const other = await delegation(api, { by: third, from: agent, to: "SX#1", ...limits, scopes: ["read"] });
  await done(api.call("DELETE", `/soul/${agent}/delegations/${other}`, undefined, headers));

  for (const content of [
    { services: [], version: "1.0.0" },
    { purpose: "Watches Anna's bakery", services: [] },
  ]) {
    const proof = await api.proof(third, agent, "describe", sha256(JSON.stringify(content)));
    await done(api.post(`/soul/${agent}/description`, { ...content, ...proof }));
  }

  const attested = `{"agent_id":"alice","skill":"translation","to":"SX#${worker.sx}","weight_micro":2500000}`;
  const target = { subject: "worker", skill: "translation", weight: 2.5 };
  const path = "/v1/agent/soul/attest";
  const proof = await api.proof(third, agent, "attest", sha256(attested));
  const made = await done(setup.pays(wallet(1), { ...target, ...proof }, {}, path));
  await done(setup.pays(wallet(1), { ...target, skill: "arithmetic" }, {}, path));
  // A signed text counts once, also for another payment.
  expect(await setup.pays(wallet(1), { ...target, ...proof }, {}, path)).toMatchObject({ status: 409 });
  const back = await api.proof(root, agent, "revoke", made.attestation_id);
  await done(api.call("DELETE", `/v1/agent/soul/attestations/${made.attestation_id}${query(back)}`));

  const settle = "/soul/compute/settle";
  const wanted = { task_type: "translate", input_data: { text: "hi" }, max_price_usd: 0.02 };
  const byWallet = await waitingTask(setup.pays(wallet(3), wanted));
  await signedCall(3, settle, { task_id: byWallet });
  const rejected = await waitingTask(setup.pays(wallet(3), wanted));
  await signedCall(3, settle, { task_id: rejected, accept: false, reason: "Anna says it is wrong" });
  const acme = await setup.requester("acme");
  const byKey = await waitingTask(setup.submit(acme, { max_price_usd: 0.02 }));
  await done(setup.ask(acme, settle, { task_id: byKey }));
  const alice = passport.sx_id.slice(3);
  await setup.requester(`soul:${alice}`);
  const judged = await waitingTask(setup.submit(headers, { max_price_usd: 0.02 }));
  const reason = "Not a translation";
  const verdict = await api.proof(third, agent, "judge", `${judged}.reject.${sha256(reason)}`);
  await done(setup.ask(headers, settle, { task_id: judged, accept: false, reason, ...verdict }));

  const { bounty_id } = await done(api.post("/soul/bounties", { title: "Pellets", reward_usd: 0.25 }));
  await done(setup.pays(wallet(4), { reward_usd: 0.25 }, {}, `/soul/bounties/${bounty_id}/fund`));
  const { claim_id } = await done(worker.post(`/soul/bounties/${bounty_id}/claim`, {}));
  await done(worker.post(`/soul/bounties/${bounty_id}/submit`, { content: "Here" }));
  await signedCall(4, `/soul/bounties/${bounty_id}/award`, { claim_id });

  const carol = ed25519Key();
  await done(api.post("/soul/register", { agent_id: "carol", ...(await api.proof(carol, "carol")) }));
  const end = await api.proof(carol, "carol", "revoke", "passport");
  await done(api.post("/soul/carol/revoke", { reason: "shut down", ...end }));
  const last = await kidOf(api, third);
  const revoke = await api.proof(root, agent, "revoke", last);
  await done(api.call("DELETE", `/soul/${agent}/keys/${last}${query(revoke)}`));

  file = join(dir, "log.ndjson");
  await exportFile(app.pool, { log_id: 1 }, file);
}, 300_000);
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await setup.service.stop();
});

const SCRIPT = fileURLToPath(new URL("../../docs/vectors/acts.py", import.meta.url));
const python = spawnSync("python3", ["--version"]).status === 0;

/** The counts of both; they must be equal. */
async function judge(path: string): Promise<ActCounts & { told: string }> {
  const { acts, verdicts } = await verifyPack(openExport(path), { recover: recoverKey });
  const verdict = verdicts.find(({ name }) => name === "acts")!;
  expect(verdict.ok).toBe(acts!.faults === 0);
  if (python) {
    const { stdout, status, stderr } = spawnSync("python3", [SCRIPT, path], { encoding: "utf8" });
    expect([stderr, JSON.parse(stdout.trim().split("\n").at(-1)!), status]).toEqual([
      "",
      acts,
      acts!.faults === 0 ? 0 : 1,
    ]);
  }
  return { ...acts!, told: verdict.reason ?? verdict.detail };
}

test("the acts of a real log are verified, and those without a signature are counted separately", async () => {
  const { told, ...counts } = await judge(file);
  expect([told, counts]).toEqual([
    expect.stringContaining("signed by a key of the agent"),
    { judged: 20, by_key: 3, by_payment: 1, unrecorded: 0, not_judged: 2, faults: 0 },
  ]);
});

test("a person's words are in no act of the log", () => {
  const text = readFileSync(file, "utf8");
  expect(text).not.toMatch(/Anna|bakery/);
  expect(text).not.toContain(sha256('{"purpose":"Watches Anna\'s bakery","services":[]}'));
});

type Data = Record<string, never> & { act: { kid: string; signed: { text: string; signature: string } } };
type LoggedEvent = { type: string; data: Data; at: number };

/** The log with changed payloads; hashes are other verdicts' matter. */
async function forged(name: string, change: (events: LoggedEvent[]) => void | Promise<void>) {
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const events = lines.flatMap((line, at): LoggedEvent[] =>
    line.event_id ? [{ type: line.type, data: JSON.parse(line.payload), at }] : [],
  );
  await change(events);
  for (const { at, type, data } of events) Object.assign(lines[at], { type, payload: JSON.stringify(data) });
  const path = join(dir, `${name.replaceAll(/\W+/g, "-")}.ndjson`);
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  return judge(path);
}

const of = (events: LoggedEvent[], type: string, n = 0) =>
  events.filter((event) => event.type === type)[n]!.data as unknown as Record<string, never> & Data;

/** Signs the text again in the name of a stranger's wallet. */
async function strangers(act: Data["act"]) {
  const account = privateKeyToAccount(generatePrivateKey());
  const text = act.signed.text.replace(/0x[0-9a-fA-F]{40}/, account.address);
  const signature = await account.signMessage({ message: text });
  Object.assign(act, { kid: addressOf(account), signed: { ...act.signed, text, signature } });
}

const forgeries: [string, RegExp, (events: LoggedEvent[]) => void | Promise<void>][] = [
  [
    "another text",
    /another time|another object|challenge_sha256|signature is none/,
    (events) => {
      const { signed } = of(events, "TaskAccepted").act;
      signed.text = signed.text.replace(/Nonce: \w{4}/, "Nonce: ffff");
    },
  ],
  ["another signer", /is not wallet:/, (events) => strangers(of(events, "BountyAwarded").act)],
  [
    "another signer of an agent's act",
    /not a live key of the agent/,
    (events) => strangers(of(events, "AttestationRevoked").act),
  ],
  [
    "a signature of another text",
    /signature is none/,
    (events) => {
      of(events, "AttestationRevoked").act.signed.signature = of(
        events,
        "BountyAwarded",
      ).act.signed.signature;
    },
  ],
  [
    "a signature of another text by Ed25519",
    /signed payload is another text/,
    (events) => {
      of(events, "AgentDelegated").act.signed.signature = of(
        events,
        "AgentDelegated",
        1,
      ).act.signed.signature;
    },
  ],
  [
    "an act moved to another delegation",
    /another than the event's|counted before/,
    (events) => {
      const other = of(events, "AgentDelegated");
      Object.assign(of(events, "AgentDelegated", 1), {
        act: other.act,
        challenge_sha256: other.challenge_sha256,
      });
    },
  ],
  [
    "an act moved to another attestation",
    /signed skill is another/,
    (events) => Object.assign(of(events, "AttestationMade", 1), { act: of(events, "AttestationMade").act }),
  ],
  [
    "an act moved to another task",
    /task_id is another|sealed|another body/,
    (events) => Object.assign(of(events, "TaskAccepted", 1), { act: of(events, "TaskAccepted").act }),
  ],
  [
    "a heavier attestation",
    /weight_micro/,
    (events) => void Object.assign(of(events, "AttestationMade"), { weight_micro: 9_000_000 }),
  ],
  [
    "a wider delegation",
    /scopes/,
    (events) => void Object.assign(of(events, "AgentDelegated", 1), { scopes: ["order", "read"] }),
  ],
  [
    "a longer delegation",
    /expires_in_s/,
    (events) => void Object.assign(of(events, "AgentDelegated"), { expires_at: "2030-01-01T00:00:00.000Z" }),
  ],
  [
    "a dearer delegation",
    /max_spend_micro/,
    (events) => void Object.assign(of(events, "AgentDelegated"), { max_spend_micro: 25_000_000 }),
  ],
  ["another delegate", /signed to/, (events) => void Object.assign(of(events, "AgentDelegated"), { to: 3 })],
  [
    "another winner",
    /claim_id/,
    (events) => void Object.assign(of(events, "BountyAwarded"), { claim_id: "00".repeat(16) }),
  ],
  [
    "a rejection made an acceptance",
    /about .*reject|accept/,
    (events) => {
      const at = events.filter(({ type }) => type === "TaskRejected")[1]!;
      at.type = "TaskAccepted";
      Object.assign(at.data, { by: "requester", draw: null, accepted_at: at.data.rejected_at });
    },
  ],
  [
    "another reason",
    /not about this/,
    (events) => void Object.assign(of(events, "TaskRejected", 1), { reason_sha256: "00".repeat(32) }),
  ],
  [
    "another time",
    /another time/,
    (events) => void Object.assign(of(events, "PassportRevoked"), { revoked_at: "2031-01-01T00:00:00.000Z" }),
  ],
  [
    "a passport's end by nobody",
    /needs a signature/,
    (events) => void Object.assign(of(events, "PassportRevoked"), { act: { by: "key" } }),
  ],
  [
    "a key's end by an API key in another's name",
    /names a signer/,
    (events) => void Object.assign(of(events, "AgentKeyRevoked", 1), { act: { by: "key" } }),
  ],
  [
    "another version described",
    /signed version/,
    (events) => void Object.assign(of(events, "AgentDescribed"), { version: "6.6.6" }),
  ],
  [
    "an act of another form",
    /another form|no signature|act/,
    (events) => void Object.assign(of(events, "AgentDescribed"), { act: { by: "moon" } }),
  ],
];

test.each(forgeries)("%s is a fault of the act", async (name, says, change) => {
  const { faults, told } = await forged(name, change);
  expect([faults > 0, told]).toEqual([true, expect.stringMatching(says)]);
});

test("the signed text of an act counts once", async () => {
  const { faults, told } = await forged("twice", (events) => {
    const { act } = of(events, "AgentKeyProven", 1);
    Object.assign(of(events, "AgentKeyProven", 2), { ...of(events, "AgentKeyProven", 1), act });
  });
  expect([faults > 0, told]).toEqual([true, expect.stringContaining("counted before")]);
});

test("acts by a key that no known key endorsed are not verified", async () => {
  const before = await judge(file);
  const after = await forged("unvouched", (events) => {
    delete of(events, "AgentKeyProven", 2).endorsement;
  });
  expect([after.faults, after.unrecorded]).toEqual([0, 1]);
  expect(after.not_judged).toBeGreaterThan(before.not_judged);
  expect(after.judged + after.not_judged).toBe(before.judged + before.not_judged - 1);
});
