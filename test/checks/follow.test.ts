/** Checks followed on the chain, tick by tick: ends, expiry, reorgs, and the record of final blocks. */

import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { ChainUnavailable } from "../../src/core/model/ports/chain.ts";
import * as checks from "../../src/domain/checks/check.ts";
import * as following from "../../src/domain/checks/following.ts";
import {
  cancelTypedData,
  checkTypedData,
  redemptionCall,
  revocationCall,
} from "../../src/domain/checks/typed-data.ts";
import { transferCall } from "../../src/domain/payments/usdc.ts";
import { findCheck } from "../../src/projections/checks/checks.ts";
import type { FollowMemory } from "../../src/reactors/checks/follow.ts";
import { signShown, writeCheck } from "../support/checked.ts";
import { replace } from "../support/replace.ts";
import { until } from "../support/until.ts";
import { payment, wallet } from "../support/wallets.ts";
import { type Desk, openDesk } from "./check-setup.ts";

let desk: Desk;
let app: App;
let memory: FollowMemory;
beforeAll(async () => {
  desk = await openDesk();
  ({ app } = desk);
});
afterAll(() => desk?.service.stop());
beforeEach(() => {
  memory = {};
});

const idOf = () => randomBytes(16).toString("hex");
const write = (more: Partial<checks.CheckFacts> = {}) => writeCheck(app, { check_id: idOf(), ...more });
const turn = () => desk.follow(memory);
const stateOf = async (facts: checks.CheckFacts) =>
  checks.existingCheck(await app.load(checks, { tenant: "acme", id: facts.check_id }));
const statusOf = async (facts: checks.CheckFacts) => checks.statusOf(await stateOf(facts));
const story = ({ check_id }: checks.CheckFacts) => desk.story(check_id);
const draw = async (facts: checks.CheckFacts) =>
  desk.send(redemptionCall(facts, await signShown(0, checkTypedData(facts))), 9);
const revoke = async (facts: checks.CheckFacts) =>
  desk.send(revocationCall(facts, await signShown(0, cancelTypedData(facts))), 9);
const cancelHere = (facts: checks.CheckFacts) =>
  app.decide(
    checks,
    { tenant: "acme", id: facts.check_id },
    checks.cancel({ by: "test", proof: "creator", cancelled_at: app.clock.now().toISOString() }),
    { meta: { actor: "test", operation: "test" } },
  );

/** Goes back to a snapshot and on differently, to a chain that is a little longer than the first one. */
async function rewind(snapshot: Hex): Promise<void> {
  const { latest } = await app.chain.heads();
  expect(await desk.rpc("evm_revert", snapshot)).toBe(true);
  await desk.rpc("anvil_setBalance", `0x${randomBytes(20).toString("hex")}`, "0x1");
  // Right after a reorg the node may have no final block.
  while ((await until(() => app.chain.heads())).latest.number <= latest.number) await desk.rpc("evm_mine");
}

describe("the chain's outcome", () => {
  test("redeems a check once, whatever the service recorded and however often the chain is scanned", async () => {
    const [pending, cancelled] = [await write(), await write()];
    await cancelHere(cancelled);
    await turn();
    const transaction = await draw(pending);
    await draw(cancelled);
    await turn();
    await turn();
    expect((await stateOf(pending)).ending).toMatchObject({ kind: "redeemed", transaction });
    expect(await story(pending)).toEqual(["CheckCreated", "CheckRedeemed"]);
    expect(await story(cancelled)).toEqual(["CheckCreated", "CheckCancelled", "CheckRedeemed"]);
    expect(await statusOf(cancelled)).toBe("redeemed");
  });

  test("voids a check: its nonce was cancelled, or used for another transfer", async () => {
    const [revoked, spent] = [await write(), await write()];
    await revoke(revoked);
    await desk.send(transferCall(await payment(wallet(0), 1n, { nonce: spent.nonce })), 9);
    await turn();
    expect([await statusOf(revoked), await statusOf(spent)]).toEqual(["cancelled", "cancelled"]);
    expect((await stateOf(revoked)).ending).toMatchObject({ kind: "revoked", reason: "cancelled" });
    expect((await stateOf(spent)).ending).toMatchObject({
      kind: "revoked",
      reason: "used for another transfer",
    });
  });

  test("is permanent once its block is final, and then it is not read again", async () => {
    const facts = await write();
    await draw(facts);
    await turn();
    expect((await findCheck(app.pool, facts.check_id))?.followed).toBe(true);
    await desk.mine(4);
    await turn();
    await turn();
    expect((await findCheck(app.pool, facts.check_id))?.followed).toBe(false);
  });

  test("finds a check that ended while no process followed, in this process or another", async () => {
    const facts = await write();
    await turn();
    await draw(facts);
    await desk.mine(40);
    expect(await desk.follow({})).toBe("done");
    expect(await statusOf(facts)).toBe("redeemed");
  });
});

test("any number of open checks is followed, a few in memory at a time", async () => {
  const [first, last] = [await write(), await write()];
  await turn();
  await app.pool.query(
    `insert into read.checks_v1
     select (jsonb_populate_record(one, jsonb_build_object('check_id', 'many-' || n, 'position', 1000000000 + n,
         'state', jsonb_set(state, '{facts,nonce}', to_jsonb('0x' || lpad(n::text, 64, '0')))))).*
       from read.checks_v1 one, generate_series(1, 2500) n where one.check_id = $1`,
    [first.check_id],
  );
  await draw(first);
  await draw(last);
  const { pool } = app;
  const sizes: number[] = [];
  replace(app, {
    pool: Object.assign(Object.create(pool), {
      query: async (sql: string, values: unknown[]) => {
        const answer = await pool.query(sql, values);
        sizes.push(JSON.stringify(answer.rows).length);
        return answer;
      },
    }),
  });
  try {
    expect(await turn()).toBe("done");
  } finally {
    replace(app, { pool });
    await pool.query("delete from read.checks_v1 where check_id like 'many-%'");
  }
  expect([await statusOf(first), await statusOf(last)]).toEqual(["redeemed", "redeemed"]);
  expect(Math.max(...sizes)).toBeLessThan(1_000_000);
});

describe("a reorg", () => {
  let chain: App["chain"];
  // The node mines by itself, and final blocks stay.
  beforeEach(async () => {
    chain = app.chain;
    const { finalized } = await chain.heads();
    replace(app, { chain: { ...chain, heads: async () => ({ ...(await chain.heads()), finalized }) } });
  });
  afterEach(() => {
    replace(app, { chain });
  });

  test("undoes a redemption, and a later one counts", async () => {
    const facts = await write();
    await desk.mine(3);
    await turn();
    const snapshot = await desk.rpc<Hex>("evm_snapshot");
    const first = await draw(facts);
    await turn();
    expect(await statusOf(facts)).toBe("redeemed");
    await rewind(snapshot);
    expect(await app.chain.receipt(first)).toBeUndefined();
    await turn();
    expect([await statusOf(facts), (await stateOf(facts)).ending]).toEqual(["pending", null]);
    await draw(facts);
    await turn();
    expect(await story(facts)).toEqual([
      ...["CheckCreated", "CheckRedeemed", "CheckReorged", "CheckRedeemed"],
    ]);
  });

  test("that turns a redemption into a cancellation is followed, also by a new process", async () => {
    const [facts, cancelled] = [await write(), await write()];
    await cancelHere(cancelled);
    await desk.mine(3);
    await turn();
    const snapshot = await desk.rpc<Hex>("evm_snapshot");
    await draw(facts);
    await draw(cancelled);
    await turn();
    await rewind(snapshot);
    await revoke(facts);
    await desk.follow({});
    expect(await story(facts)).toEqual(["CheckCreated", "CheckRedeemed", "CheckReorged", "CheckRevoked"]);
    expect([await statusOf(facts), await statusOf(cancelled)]).toEqual(["cancelled", "cancelled"]);
    expect((await stateOf(cancelled)).ending).toBeNull();
  });
});

describe("a chain that fails", () => {
  const meddled = async (change: Partial<App["chain"]>) => {
    const { chain } = app;
    replace(app, { chain: { ...chain, ...change } });
    try {
      return await turn();
    } finally {
      replace(app, { chain });
    }
  };

  test("changes nothing: it is unavailable, lags, or is another chain", async () => {
    const facts = await write();
    await draw(facts);
    await turn();
    const { position } = await app.store.head();
    const heads = await app.chain.heads();
    memory = {};
    expect(await meddled({ heads: () => Promise.reject(new ChainUnavailable("away")) })).toBe("away");
    const old = { ...heads.latest, number: BigInt((await stateOf(facts)).ending!.block_number - 1) };
    expect(await meddled({ heads: async () => ({ ...heads, latest: old }) })).toBe("behind");
    expect(await meddled({ block: async () => undefined })).toBe("behind");
    const elsewhere = async (number: bigint) => ({
      ...heads.latest,
      number,
      hash: `0x${"9".repeat(64)}` as Hex,
    });
    expect(await meddled({ block: elsewhere })).toBe("foreign");
    expect((await app.store.head()).position).toBe(position);
    expect(await statusOf(facts)).toBe("redeemed");
  });
});

// The last ones: the chain's time is ahead afterwards.
describe("time", () => {
  test("is the chain's: no jump of our own clock ends a check or restores it", async () => {
    const facts = await write({ valid_before: Math.floor(Date.now() / 1_000) + 7_200 });
    const { clock } = app;
    for (const jump of [10 * 365 * 86_400_000, -10 * 365 * 86_400_000]) {
      replace(app, { clock: { now: () => new Date(Date.now() + jump) } });
      await desk.mine(1);
      await turn();
      expect(await statusOf(facts)).toBe("pending");
    }
    replace(app, { clock });
    await desk.rpc("evm_increaseTime", 7_300);
    await desk.mine(1);
    await turn();
    expect(await statusOf(facts)).toBe("expired");
    const mine = await desk.as("acme");
    const signature = await signShown(0, checkTypedData(facts));
    const refused = await mine("POST", "redeem", { check_id: facts.check_id, signature });
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("expired")]);
    await desk.mine(4);
    await turn();
    await turn();
    expect((await findCheck(app.pool, facts.check_id))?.followed).toBe(false);
  });

  test("of the chain counts when a check is drawn, before its expiry is recorded", async () => {
    const facts = await write({ valid_before: Math.floor(Date.now() / 1_000) + 7_250 });
    const mine = await desk.as("acme");
    const signature = await signShown(0, checkTypedData(facts));
    const refused = await mine("POST", "redeem", { check_id: facts.check_id, signature });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining("by the chain's time"),
    ]);
    expect(await story(facts)).toEqual(["CheckCreated"]);
  });
});

test("the scanned range is recorded by final block, never backwards", async () => {
  const stream_id = following.streamOf("eip155:8453");
  const recorded = await app.store.readStream({ tenant: "operator", stream_id });
  const blocks = recorded.map(({ payload }) => Number(payload.block_number));
  expect(blocks.length).toBeGreaterThan(2);
  expect(blocks).toEqual(blocks.toSorted((a, b) => a - b));
});
