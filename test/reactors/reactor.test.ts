/** The loop of all reactors: one process at a time, nothing sent late, failures logged once and shown everywhere. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { areas } from "../../src/areas/index.ts";
import { type App, withParts } from "../../src/core/app.ts";
import { reactor, reactorLeases, startReactors, type Tick } from "../../src/core/background/reactor.ts";
import { LeaseLost, underLease } from "../../src/core/coordination/lease.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { ChainUnavailable } from "../../src/core/model/ports/chain.ts";
import { healthOf } from "../../src/core/read-models/health.ts";
import { issueKey } from "../../src/operator/keys.ts";
import { USUAL_POOL } from "../../src/runtime/assemble-reactors.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";

let service: Service;
let app: App;
beforeAll(async () => {
  service = await startService();
  ({ app } = service);
});
afterAll(() => service?.stop());

const silent = { info: () => {}, warn: () => {}, error: () => {} };
let made = 0;

/** A reactor of a name of its own. */
const doing = (take: (turn: Tick<{ turns: number }>) => Promise<"done" | "idle" | "odd">) =>
  reactor({
    name: `test-${++made}`,
    every_ms: 5,
    memory: () => ({ turns: 0 }),
    take,
    failures: { odd: "odd things are seen", away: "the chain is away", failed: "it fails; trying again" },
    grave: ["odd"],
    resumed: "it works again",
  });

/** As a process would that takes the lease while another is paused. */
const takeOver = (name: string) =>
  app.pool.query(
    "update reactors.leases set holder = gen_random_uuid(), token = token + 1, held_until = 'infinity' where reactor = $1",
    [name],
  );

/** Something to wait for, and what ends the wait. */
function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((done) => {
    open = done;
  });
  return { opened, open };
}

test("an idle reactor rests until the log grows, while others go on", async () => {
  const turns = { idle: 0, done: 0 };
  const counted = (outcome: "idle" | "done") =>
    doing(async () => {
      turns[outcome]++;
      return outcome;
    });
  const running = startReactors(app, [counted("idle"), counted("done")], silent);
  onTestFinished(() => running.stop());
  await until(async () => turns.idle > 0);
  const before = { position: (await app.store.head()).position, idle: turns.idle, done: turns.done };
  await until(async () => turns.done > before.done + 20);
  // The service's own reactors may move the log meanwhile; each move is worth one turn at most.
  const moved = (await app.store.head()).position - before.position;
  expect(turns.idle - before.idle).toBeLessThanOrEqual(moved + 1);
  const rested = turns.idle;
  await issueKey(app, {
    tenant: "mover",
    space: "live",
    scopes: ["read"],
    daily: null,
    monthly: null,
    label: null,
  });
  await until(async () => turns.idle > rested);
});

test("of two processes one runs the ticks, with one memory; when it stops, the other continues with its own", async () => {
  const taken: string[] = [];
  const counted =
    (name: string) =>
    async ({ memory }: Tick<{ turns: number }>) => {
      taken.push(`${name}${++memory.turns}`);
      return "done" as const;
    };
  const first = doing(counted("a"));
  const second = { ...doing(counted("b")), name: first.name };
  const a = startReactors(app, [first], silent);
  await until(async () => taken.length > 3);
  const b = startReactors(app, [second], silent);
  onTestFinished(() => b.stop());
  const before = taken.length;
  await until(async () => taken.length > before + 3);
  expect(taken.every((one) => one.startsWith("a"))).toBe(true);
  await a.stop();
  await until(async () => taken.at(-1)!.startsWith("b"));
  expect(taken.find((one) => one.startsWith("b"))).toBe("b1");
});

test("another process replaces a killed one once its lease has expired", async () => {
  const one = doing(async () => "done");
  // Nobody renews it, as nobody does for the dead.
  await reactorLeases(app.pool, 1).take(one.name, crypto.randomUUID());
  expect(await turn(app, one)).toEqual({ status: "taken" });
  await until(async () => (await turn(app, one)).status === "done");
});

test("a tick that was paused past its lease sends nothing, writes nothing and is aborted", async () => {
  const sent: string[] = [];
  const send = async () => {
    sent.push("sent");
    throw new Error("it was sent");
  };
  const by: App = withParts(app, {
    chain: { ...app.chain, send },
    webhooks: { ...app.webhooks, post: send },
  });
  const paused = gate();
  const begun = gate();
  const failures: unknown[] = [];
  const one = doing(async ({ app: its, lease, signal }) => {
    begun.open();
    await paused.opened;
    const call = { to: "0x00" as Hex, data: "0x" as Hex };
    const attempts = [
      its.chain.send(call, { gas: 1n, purpose: "airdrop" }),
      its.webhooks.post({ url: "https://x.example", headers: {}, body: "" }),
      lease.transaction((tx) => tx.query("insert into read.checkpoints (projection) values ('late')")),
    ];
    for (const { status, reason } of (await Promise.allSettled(attempts)) as PromiseRejectedResult[])
      failures.push(status === "rejected" && reason instanceof LeaseLost);
    await until(async () => signal.aborted);
    return "done";
  });
  const running = turn(by, one);
  await begun.opened;
  await takeOver(one.name);
  paused.open();
  await running;
  expect(failures).toEqual([true, true, true]);
  expect(sent).toEqual([]);
  expect((await app.pool.query("select 1 from read.checkpoints where projection = 'late'")).rowCount).toBe(0);
});

test("a renewal that arrives after the lease was released does not take it again", async () => {
  const leases = reactorLeases(app.pool);
  const name = `test-${++made}`;
  const lease = (await leases.take(name, crypto.randomUUID()))!;
  const renewed = leases.renew(lease);
  await leases.handBack(lease);
  expect(await renewed).toBe(false);
  expect(await leases.heldFor(name)).toBe(0);
  expect(await leases.take(name, crypto.randomUUID())).toBeDefined();
});

/** Two leases, the first of which somebody has locked until `release`; `meanwhile` is done to it in that transaction. */
async function oneLocked(meanwhile?: string) {
  const leases = reactorLeases(app.pool);
  const take = async () => (await leases.take(`test-${++made}`, crypto.randomUUID()))!;
  const [locked, free] = [await take(), await take()];
  const client = await app.pool.connect();
  await client.query("begin");
  await client.query("select from reactors.leases where reactor = $1 for update", [locked.name]);
  if (meanwhile) await client.query(meanwhile, [locked.name]);
  const release = async () => {
    await client.query("commit");
    client.release();
  };
  return { leases, locked, free, release };
}

test("a lease with a locked row is not lost, is renewed once the row is free, and delays no other lease", async () => {
  const { leases, locked, free, release } = await oneLocked();
  let answered: boolean | undefined;
  const [waiting, others] = [leases.renew(locked).then((held) => (answered = held)), leases.renew(free)];
  expect(await others).toBe(true);
  expect(await leases.renew(free)).toBe(true);
  expect(await leases.isHeld(locked)).toBe(true);
  expect(answered).toBeUndefined();
  await release();
  expect(await waiting).toBe(true);
  expect(await leases.take(locked.name, crypto.randomUUID())).toBeUndefined();
});

test("a request for a held lease fails at once, even if its row is locked", async () => {
  const { leases, locked, release } = await oneLocked(
    "update reactors.leases set reason = 'changing' where reactor = $1",
  );
  expect(await leases.take(locked.name, crypto.randomUUID())).toBeUndefined();
  await release();
  expect(await leases.isHeld(locked)).toBe(true);
});

test("a renewal that waited for a locked row reports that another process has taken the lease", async () => {
  const { leases, locked, free, release } = await oneLocked(
    "update reactors.leases set holder = gen_random_uuid(), token = token + 1 where reactor = $1",
  );
  const [waiting, others] = [leases.renew(locked), leases.renew(free)];
  expect(await others).toBe(true);
  await release();
  expect(await waiting).toBe(false);
  expect(await leases.renew(free)).toBe(true);
});

test("a lease that is not renewed in time counts as lost, though nobody else took it", async () => {
  const leases = reactorLeases(app.pool, 1);
  leases.renew = () => Promise.reject(new Error("the database is away"));
  const lost = await underLease(leases, `test-${++made}`, async (held) => {
    await until(async () => held.lost.aborted);
    return held.confirm().catch((error) => error);
  });
  expect(lost).toBeInstanceOf(LeaseLost);
});

test("a tick that waits for a chain or a webhook uses no connection", async () => {
  const waiting = gate();
  let begun = 0;
  const many = Array.from({ length: 12 }, () =>
    doing(async () => {
      begun++;
      await waiting.opened;
      return "done";
    }),
  );
  const started = startReactors(app, many, silent);
  await until(async () => begun === many.length);
  await until(async () => app.pool.totalCount - app.pool.idleCount <= 2);
  waiting.open();
  await started.stop();
});

test("a stopping process completes the running tick, and releases the lease", async () => {
  const steps: string[] = [];
  const one = doing(async ({ signal }) => {
    steps.push("begun");
    await until(async () => signal.aborted);
    steps.push("seen through");
    return "done";
  });
  const started = startReactors(app, [one], silent);
  await until(async () => steps.length === 1);
  await started.stop();
  expect(steps).toEqual(["begun", "seen through"]);
  expect((await turn(app, { ...one, begin: () => async () => "done" })).status).toBe("done");
});

test("a failure is logged once when it begins and once when it ends; meanwhile every process reports it", async () => {
  const messages: [string, object, string][] = [];
  const note = (level: string) => (facts: object, message: string) =>
    void messages.push([level, facts, message]);
  const log = { info: note("info"), warn: note("warn"), error: note("error") };
  let now: () => Promise<"done" | "odd"> = async () => "done";
  let turns = 0;
  const one = doing(async () => {
    turns++;
    return now();
  });
  const seen = async () => (await healthOf(app, [], [one])).reactors[0]!;
  const some = async () => {
    const before = turns;
    await until(async () => turns > before + 2);
  };
  const started = startReactors(app, [one], log);
  await until(async () => (await seen()).last_good_s !== null);
  expect(await seen()).toMatchObject({ name: one.name, trouble: null });
  now = () => Promise.reject(new ChainUnavailable("no answer"));
  await until(async () => (await seen()).trouble !== null);
  await some();
  expect((await seen()).trouble).toMatchObject({ status: "away", reason: "no answer" });
  now = async () => "odd";
  await until(async () => (await seen()).trouble?.status === "odd");
  now = () => Promise.reject(new Error("a fault"));
  await until(async () => (await seen()).trouble?.status === "failed");
  now = async () => "done";
  await until(async () => (await seen()).trouble === null);
  await some();
  await started.stop();
  const { name } = one;
  expect(messages).toEqual([
    ["warn", { reactor: name, reason: "no answer" }, "the chain is away"],
    ["error", { reactor: name }, "odd things are seen"],
    ["warn", { reactor: name, reason: "a fault" }, "it fails; trying again"],
    ["info", { reactor: name }, "it works again"],
  ]);
});

test("all projections and reactors share the few connections of a process", async () => {
  const reactors = areas.flatMap((area) => area.reactors);
  expect(new Set(reactors.map(({ name }) => name)).size).toBe(reactors.length);
  expect(readConfig({}).DATABASE_POOL).toBeUndefined();
  expect(service.app.pool.options.max).toBe(USUAL_POOL);
  expect(areas.flatMap(({ projections }) => projections).length + reactors.length).toBeGreaterThan(
    USUAL_POOL,
  );
  const env = { DATABASE_POOL: "3" };
  await expect(startService({ env, reactors: true })).rejects.toThrow(/DATABASE_POOL is at least \d+/);
});

test("health and metrics name every projection and reactor", async () => {
  const health = async () =>
    (
      (await (await fetch(`${service.url}/v1/agent/health`)).json()) as {
        data: Record<string, { name: string }[]>;
      }
    ).data;
  const { projections, reactors } = await health();
  const names = areas.flatMap((area) => area.projections).map(({ name, version }) => `${name}_v${version}`);
  expect(projections!.map(({ name }) => name)).toEqual(names);
  expect(reactors!.map(({ name }) => name)).toContain("payments");
  expect(reactors!.map(({ name }) => name)).not.toContain("log-anchoring");
  await app.pool.query(
    `insert into reactors.leases (reactor, status, reason) values ('payments', 'foreign', 'http://10.0.0.1 is another')
     on conflict (reactor) do update set status = excluded.status, reason = excluded.reason`,
  );
  expect(JSON.stringify(await health())).toContain('"status":"foreign"');
  // The reason may name what only the operator should see.
  expect(JSON.stringify(await health())).not.toContain("10.0.0.1");
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain('tallystick_trouble{name="payments"} 1');
  expect(metrics).toMatch(/tallystick_projection_behind_events\{projection="payments_v\d+"\} \d+/);
});
