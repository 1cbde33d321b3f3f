/** Kills the process around each event of a check; afterwards the log agrees with the chain and repeats nothing. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import * as checks from "../../src/domain/checks/check.ts";
import { checkTypedData, redemptionCall } from "../../src/domain/checks/typed-data.ts";
import { findCheck } from "../../src/projections/checks/checks.ts";
import { runningNode } from "../chain/fixture.ts";
import { signShown, writeCheck } from "../support/checked.ts";
import { startProgram } from "../support/compiled.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { asker, type Desk, openDesk } from "./check-setup.ts";

let desk: Desk;
let headers: Record<string, string>;
const children: ChildProcess[] = [];
beforeAll(async () => {
  desk = await openDesk();
  ({ headers } = await desk.service.issue());
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await desk?.service.stop();
});

/** A service of its own process on the same log and chain. */
async function startKilled(env: { DIES: string; DIES_AT: string; FOLLOWS?: string }) {
  const { port } = await runningNode(desk.service.data_dir);
  const child = startProgram("test/checks/killed-clerk.ts", [], {
    env: {
      ...{
        PATH: process.env.PATH,
        // Its files are removed with the run.
        TMPDIR: inject("runDir"),
        DATABASE: desk.service.database_url,
        RPC: `http://127.0.0.1:${port}`,
      },
      ...{
        GAS_KEY,
        PAY_TO: PAYEE,
        SIGNING_KEY: await readFile(join(desk.service.data_dir, "signing.key"), "utf8"),
      },
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const ended = once(child, "exit");
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  return { ended, ask: asker(line.toString().trim(), headers) };
}

const draft = { from: wallet(0).address, to: wallet(1).address, amount: 1 };

test.each([
  ["before", "CheckRedeemed"],
  ["after", "CheckRedeemed"],
  ["after", "ChecksFollowed"],
])("after a kill %s %s the chain is followed from where it was", async (DIES, DIES_AT) => {
  const facts = await writeCheck(desk.app, {
    check_id: Buffer.from(`${DIES}${DIES_AT}`.padEnd(16)).toString("hex").slice(-32),
  });
  const { ended } = await startKilled({ DIES, DIES_AT, FOLLOWS: "1" });
  await desk.send(redemptionCall(facts, await signShown(0, checkTypedData(facts))), 9);
  await desk.mine(4);
  await ended;
  // The dead process's lock and lease expire a moment later.
  const isFollowed = async () => {
    await desk.follow({});
    return (await findCheck(desk.app.pool, facts.check_id))?.followed;
  };
  await expect.poll(isFollowed).toBe(false);
  expect(await desk.story(facts.check_id)).toEqual(["CheckCreated", "CheckRedeemed"]);
});

test.each([
  ["after", "CheckCreated"],
  ["after", "CheckRedemptionAsked"],
])(
  "after a kill %s %s a call repeated under its key makes one check and one event",
  async (DIES, DIES_AT) => {
    const { ask: dying, ended } = await startKilled({ DIES, DIES_AT });
    const living = asker(desk.service.url, headers);
    const named = (name: string) => ({ "Idempotency-Key": `${name}-${DIES}-${DIES_AT}` });
    const create = (ask: typeof living) => ask("POST", "create", draft, named("create"));
    if (DIES_AT === "CheckCreated") await expect(create(dying)).rejects.toThrow();
    const { data } = (await create(living)).body;
    const target = { tenant: "acme", id: data.check_id };
    const { facts } = checks.existingCheck(await desk.app.load(checks, target));
    expect(data.typed_data).toEqual(checkTypedData(facts));
    const body = { check_id: data.check_id, signature: await signShown(0, data.typed_data) };
    const redeem = (ask: typeof living) => ask("POST", "redeem", body, named("redeem"));
    if (DIES_AT === "CheckRedemptionAsked") await expect(redeem(dying)).rejects.toThrow();
    expect((await redeem(living)).body.data).toMatchObject({ redeeming: true });
    await ended;
    expect(await desk.story(data.check_id)).toEqual(["CheckCreated", "CheckRedemptionAsked"]);
  },
);
