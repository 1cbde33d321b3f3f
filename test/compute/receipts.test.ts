/** Receipts of an EVM key by EIP-712, as wallets sign; and forged, borrowed or repeated ones. */
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ComputeSetup,
  chainOf,
  type LeasedTask,
  openComputeSetup,
  sha256,
  type TestNode,
} from "./compute-setup.ts";

let setup: ComputeSetup;
let node: TestNode;
const wallet = privateKeyToAccount(generatePrivateKey());
beforeAll(async () => {
  setup = await openComputeSetup();
  node = await setup.node("signer");
  await prove(node, wallet);
});
afterAll(() => setup.service.stop());

/** A second key of an agent, endorsed by its first. */
async function prove(of: TestNode, account: PrivateKeyAccount): Promise<void> {
  const request = async (key: string, about?: string) =>
    (
      await of.post("/soul/challenge", {
        agent_id: of.agent_id,
        key,
        purpose: "prove",
        ...(about !== undefined && { about }),
      })
    ).body;
  const own = await request(account.address);
  const endorsing = await request(of.did, own.kid);
  const { status, body } = await of.post(`/soul/${of.agent_id}/keys`, {
    challenge: own.challenge,
    signature: await account.signMessage({ message: own.challenge }),
    endorsement: { challenge: endorsing.challenge, signature: of.jws(endorsing.challenge) },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

const input = { seed: sha256("seed"), n: 3 };
let buyers = 0;
async function leasedTask(): Promise<LeasedTask> {
  const headers = await setup.requester(`receipt-${++buyers}`);
  await setup.submit(headers, { task_type: "sha256-chain", input_data: input, max_price_usd: 0.02 });
  await setup.folded();
  return node.pull("?wait_s=30");
}

const AT = "2026-11-22T12:00:00.000Z";
const ENGINE = sha256("by hand");
const text = (name: string) => ({ name, type: "string" });
const digest = (name: string) => ({ name, type: "bytes32" });

/** A wallet's signature by docs/compute.md. */
async function byWallet(account: PrivateKeyAccount, task: LeasedTask, bent: object = {}) {
  const hex = (of: string) => `0x${of}`;
  const signature = await account.signTypedData({
    domain: { name: "Tallystick compute", version: "1" },
    types: {
      Receipt: [
        { name: "v", type: "uint256" },
        text("origin"),
        text("task_id"),
        { name: "attempt", type: "uint256" },
        digest("lease_sha256"),
        text("kind"),
        digest("input_sha256"),
        digest("output_sha256"),
        digest("engine_sha256"),
        text("exit"),
        text("started_at"),
        text("ended_at"),
      ],
    },
    primaryType: "Receipt",
    message: {
      v: 1n,
      origin: task.origin,
      task_id: task.task_id,
      attempt: BigInt(task.attempt),
      lease_sha256: hex(task.lease_sha256),
      kind: task.task_type,
      input_sha256: hex(task.input_sha256),
      output_sha256: hex(sha256(JSON.stringify(chainOf(input)))),
      engine_sha256: hex(ENGINE),
      exit: "ok",
      started_at: AT,
      ended_at: AT,
      ...bent,
    },
  } as never);
  return {
    kid: account.address.toLowerCase(),
    engine_sha256: ENGINE,
    started_at: AT,
    ended_at: AT,
    signature,
  };
}

const flipped = (byte: string) => (Number.parseInt(byte, 16) ^ 1).toString(16).padStart(2, "0");

const given = async (task: LeasedTask, receipt: object) => {
  const { status, body } = await node.gives(task, chainOf(input), { receipt });
  return [
    status,
    String(body.type ?? body.status)
      .split("#")
      .at(-1),
  ];
};

test("an agent's EVM key signs a receipt, and a forged one is refused and leaves the lease", async () => {
  const task = await leasedTask();
  const stranger = privateKeyToAccount(generatePrivateKey());
  const good = await byWallet(wallet, task);
  const refused = [
    await byWallet(wallet, task, { exit: "limit" }),
    await byWallet(wallet, task, { attempt: 2n }),
    await byWallet(stranger, task),
    { ...(await byWallet(stranger, task)), kid: good.kid },
    { ...good, ended_at: "2026-11-22T12:00:01.000Z" },
    { ...good, signature: `0x${flipped(good.signature.slice(2, 4))}${good.signature.slice(4)}` },
    { ...good, kid: node.kid },
  ];
  for (const receipt of refused) expect(await given(task, receipt)).toEqual([400, "receipt-refused"]);
  expect(await given(task, good)).toEqual([200, "submitted"]);
});

test("a receipt is neither valid for another task nor for another agent", async () => {
  const first = await leasedTask();
  const receipt = await byWallet(wallet, first);
  expect(await given(first, receipt)).toEqual([200, "submitted"]);
  const second = await leasedTask();
  expect(await given(second, receipt)).toEqual([400, "receipt-refused"]);
  const other = await setup.node("borrower");
  const borrowed = privateKeyToAccount(generatePrivateKey());
  await prove(other, borrowed);
  expect(await given(second, await byWallet(borrowed, second))).toEqual([400, "receipt-refused"]);
  expect(await given(second, await byWallet(wallet, second))).toEqual([200, "submitted"]);
});
