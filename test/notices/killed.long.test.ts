/**
 * Processes that deliver notices are killed at any moment, each while a post is on its way: no notice is lost, none of a
 * subject comes out of order, and a repeat is the same.
 */
import type { ChildProcess } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { noticeIdOf } from "../../src/domain/notices/message.ts";
import { secretOf } from "../../src/domain/webhooks/message.ts";
import { development } from "../alerts/delivery-setup.ts";
import { openReceiver, type Receiver } from "../alerts/receiver.ts";
import { startProgram } from "../support/compiled.ts";
import { randomNumbers } from "../support/random-events.ts";
import { SCALE, scaled } from "../support/scale.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { eventOf, folded, recorded, stateOf, subscribed } from "./notices-setup.ts";

const SIGNING_KEY = generateKeyPairSync("ed25519")
  .privateKey.export({ type: "pkcs8", format: "der" })
  .toString("base64");
const KILLS = SCALE < 10 ? scaled(8, 2) : 25;
/** 1,000 kills at SCALE=10, in rounds that each keep to the suite's limit. */
const ROUNDS = SCALE < 10 ? 1 : scaled(4);
/** Processes that stand by, so that the next one need not start first. */
const STANDING_BY = 2;
const SUBJECTS = 12;
const NOTICES_A_KILL = 6;

let survivor: Awaited<ReturnType<typeof startService>>;
let receiver: Receiver;
const children = new Set<ChildProcess>();
let kills = 0;
beforeAll(async () => {
  [survivor, receiver] = await Promise.all([
    startService({ env: { ...development, SIGNING_KEY } }),
    openReceiver(),
  ]);
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await survivor.stop();
  await receiver.close();
});

function startDeliverer(): void {
  const child = startProgram("test/notices/killed-deliverer.ts", [], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: inject("runDir"),
      DATABASE: survivor.database_url,
      SIGNING_KEY,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
}

/** Kills the process that posted, and starts another one. */
async function killPoster(pid: string): Promise<void> {
  const poster = [...children].find((child) => String(child.pid) === pid);
  // It may be dead already, of the kill before.
  if (!poster) return;
  kills++;
  const exit = once(poster, "exit");
  poster.kill("SIGKILL");
  await exit;
  startDeliverer();
}

const rounds = Array.from({ length: ROUNDS }, (_, round) => round + 1);

test.each(rounds)(
  `round %i: ${KILLS} kills lose no notice and put none of a subject out of order`,
  async (round) => {
    const { app } = survivor;
    const tenant = `round-${round}`;
    const id = await subscribed(app, receiver.url, { kinds: ["order"], tenant });
    const below = randomNumbers(2 + round);
    kills = 0;
    receiver.received.length = 0;
    const own: { notice_id: string; subject: string }[] = [];
    const tells = async () => {
      const subject = String(1 + below(SUBJECTS));
      const types = ["OrderPaid", "OrderShipped", "OrderDelivered"];
      const { event_id } = await recorded(app, eventOf(types[below(types.length)]!, { id: subject, tenant }));
      own.push({ notice_id: noticeIdOf(event_id), subject });
    };
    // The survivor folds; the others deliver.
    await folded(app);
    while (children.size <= STANDING_BY) startDeliverer();
    let dying: Promise<void> | undefined;
    let leftUntilKill = 1;
    receiver.answers((response) => {
      const dies = kills < KILLS && !dying && --leftUntilKill <= 0;
      if (!dies) return void response.writeHead(204).end();
      // Before the answer or after it: the process learns of the one and not of the other.
      if (below(2) === 0) response.writeHead(204).end();
      leftUntilKill = 1 + below(NOTICES_A_KILL);
      dying = killPoster(String(receiver.received.at(-1)!.headers["x-process"])).finally(() => {
        response.destroy();
        dying = undefined;
      });
    });
    while (kills < KILLS) {
      if (own.length - new Set(receiver.received.map(idOf)).size < 2 * NOTICES_A_KILL) await tells();
      else await until(() => own.length - new Set(receiver.received.map(idOf)).size < 2 * NOTICES_A_KILL);
      await folded(app);
    }
    await dying;
    await until(async () => (await stateOf(app, id, tenant)).delivered === own.length);
    const seen = new Map<string, string>();
    for (const { headers, body } of receiver.received) {
      const one = headers["webhook-id"] as string;
      expect(seen.get(one) ?? body).toBe(body);
      seen.set(one, body);
    }
    const webhook = new Webhook(secretOf(app.signer, id, { rotation: 0 }));
    for (const { body, headers } of receiver.received)
      webhook.verify(body, headers as Record<string, string>);
    expect([...seen.keys()].toSorted()).toEqual(own.map(({ notice_id }) => notice_id).toSorted());
    for (const subject of new Set(own.map((one) => one.subject))) {
      const ofSubject = own.filter((one) => one.subject === subject).map(({ notice_id }) => notice_id);
      expect([...seen.keys()].filter((one) => ofSubject.includes(one))).toEqual(ofSubject);
    }
    const repeats = receiver.received.length - own.length;
    console.info(
      `${kills} kills, ${own.length} notices, ${repeats} repeats, 0 lost, 0 out of order for a subject`,
    );
  },
);

const idOf = ({ headers }: Receiver["received"][number]) => headers["webhook-id"];
