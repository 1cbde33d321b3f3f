/**
 * A crash between a post and its record: the alert is posted again with the same id, so that the webhook can
 * deduplicate.
 */
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { secretOf } from "../../src/domain/webhooks/message.ts";
import { startProgram } from "../support/compiled.ts";
import { startService } from "../support/service.ts";
import { development, folded, stateOf, subscribed, takeAlertTurn, triggered } from "./delivery-setup.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const SIGNING_KEY = generateKeyPairSync("ed25519")
  .privateKey.export({ type: "pkcs8", format: "der" })
  .toString("base64");

let survivor: Awaited<ReturnType<typeof startService>>;
let receiver: Receiver;
beforeAll(async () => {
  [survivor, receiver] = await Promise.all([
    startService({ env: { ...development, SIGNING_KEY } }),
    openReceiver(),
  ]);
});
afterAll(async () => {
  await survivor.stop();
  await receiver.close();
});

async function killedAfterPosting(): Promise<void> {
  const child = startProgram("test/alerts/killed-deliverer.ts", [], {
    env: {
      PATH: process.env.PATH,
      // Its files are removed with the run.
      TMPDIR: inject("runDir"),
      DATABASE: survivor.database_url,
      SIGNING_KEY,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGKILL");
}

test("each crash posts the alert once more, under the same id and with the same body, and the survivor records one delivery", async () => {
  const { app } = survivor;
  const id = await subscribed(app, receiver.url);
  const [alert] = await triggered(app, id, 1);
  await killedAfterPosting();
  await killedAfterPosting();
  expect(receiver.received).toHaveLength(2);
  expect(await stateOf(app, id)).toMatchObject({ delivered: 0, credits: 100 });
  // The lease of the dead runs out.
  while (receiver.received.length < 3) {
    await folded(app);
    await takeAlertTurn(app);
  }
  await folded(app);
  await takeAlertTurn(app);
  expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([alert, alert, alert]);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  const webhook = new Webhook(secretOf(app.signer, id, { rotation: 0 }));
  for (const { body, headers } of receiver.received) webhook.verify(body, headers as Record<string, string>);
  expect(await stateOf(app, id)).toMatchObject({ delivered: 1, credits: 99 });
});
