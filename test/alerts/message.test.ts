/** The id, the recipient and the signature of an alert's message. */
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import type { Signer } from "../../src/core/model/ports/signer.ts";
import { alertIdOf, isWatched, messageOf } from "../../src/domain/alerts/message.ts";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import { secretOf, signingAt } from "../../src/domain/webhooks/message.ts";
import { refusedAs } from "../support/specification.ts";
import { AT, type Event, facts, finding, given, later, subscribed, subscriptionAfter } from "./histories.ts";

const signerOf = (key: string): Signer => ({
  kid: "k",
  public_key: { kty: "OKP", crv: "Ed25519", x: "" },
  sign: (bytes) => Buffer.concat([Buffer.from(key), bytes]),
});

describe("secrets", () => {
  const rotated = (rotation: number, at = AT): Event => ({
    type: "SecretRotated",
    data: { rotation, old_until: new Date(Date.parse(at) + 86_400_000).toISOString(), rotated_at: at },
  });
  test("differ by key, subscription and rotation, and stay the same otherwise", () => {
    const secrets = [
      secretOf(signerOf("k"), "s", { rotation: 0 }),
      secretOf(signerOf("K"), "s", { rotation: 0 }),
      secretOf(signerOf("k"), "t", { rotation: 0 }),
      secretOf(signerOf("k"), "s", { rotation: 1 }),
    ];
    expect(new Set(secrets).size).toBe(4);
    expect(secretOf(signerOf("k"), "s", { rotation: 0 })).toBe(secrets[0]);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
    }
  });
  test("are rotated; the old one signs for another day", () => {
    given([subscribed])
      .when(subscriptions.rotateSecret(AT))
      .then([rotated(1)]);
    const state = subscriptionAfter(subscribed, rotated(1));
    const rotations = (at: string) => signingAt(state.secrets, at).map(({ rotation }) => rotation);
    expect(rotations(later(86_399))).toEqual([1, 0]);
    expect(rotations(later(86_400))).toEqual([1]);
    given([subscribed, rotated(1)])
      .when(subscriptions.rotateSecret(later(9)))
      .then([rotated(2, later(9))]);
  });
  test("that sign at the same time are limited", () => {
    const often = [subscribed, rotated(1), rotated(2), rotated(3), rotated(4)];
    given(often).when(subscriptions.rotateSecret(AT)).thenThrows(refusedAs("conflict"));
    given(often)
      .when(subscriptions.rotateSecret(later(86_400)))
      .then([rotated(5, later(86_400))]);
    expect(subscriptionAfter(...often, rotated(5, later(86_400))).secrets).toHaveLength(2);
  });

  const alertId = alertIdOf(facts.subscription_id, finding);
  const alert = { finding, triggered_at: AT, attempts: 0, next_attempt_at: AT };
  test("sign a message that the library verifies, with the old secret and the new one, and no other", () => {
    const now = new Date();
    const signer = signerOf("k");
    const state = subscriptionAfter(subscribed, rotated(1, now.toISOString()));
    const { body, headers } = messageOf(signer, state, alertId, alert, now);
    for (const rotation of [0, 1]) {
      const secret = secretOf(signer, facts.subscription_id, { rotation });
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({
        type: "trade.anomaly",
        data: { alert_id: alertId, period: "2026-09" },
      });
    }
    const other = new Webhook(secretOf(signer, facts.subscription_id, { rotation: 2 }));
    expect(() => other.verify(body, headers)).toThrow();
    const newest = new Webhook(secretOf(signer, facts.subscription_id, { rotation: 1 }));
    expect(() => newest.verify(body.replace("2026-09", "2026-08"), headers)).toThrow();
  });
  test("a message has the same body, whatever order its fields were read in", () => {
    const reversed = Object.fromEntries(Object.entries(finding).reverse()) as subscriptions.Finding;
    const bodyOf = (found: subscriptions.Finding) =>
      messageOf(
        signerOf("k"),
        subscriptionAfter(subscribed),
        alertId,
        { ...alert, finding: found },
        new Date(AT),
      ).body;
    expect(bodyOf(reversed)).toBe(bodyOf(finding));
  });
  test("a later attempt has the same id and body", () => {
    const attempt = (at: string) =>
      messageOf(signerOf("k"), subscriptionAfter(subscribed), alertId, alert, new Date(at));
    const [first, second] = [attempt(AT), attempt(later(300))];
    expect(second.body).toBe(first.body);
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(second.headers["webhook-timestamp"]).not.toBe(first.headers["webhook-timestamp"]);
  });
});

describe("an alert's id", () => {
  const idOf = (change: Partial<subscriptions.Finding>) => alertIdOf("s", { ...finding, ...change });
  test("is the same in every vintage", () => {
    expect(idOf({ vintage: "b".repeat(64), z: 9, value_eur: 1 })).toBe(idOf({}));
  });
  test.each([{ reporter: "FR" }, { product: "45" }, { flow: "EXPORT" as const }, { period: "2026-08" }])(
    "differs for %j",
    (change) => expect(idOf(change)).not.toBe(idOf({})),
  );
});

test.each<[Partial<subscriptions.Watch>, Partial<subscriptions.Finding>, boolean]>([
  [{}, {}, true],
  [{ reporter: "FR" }, {}, false],
  [{ reporter: null }, { reporter: "FR" }, true],
  [{ hs: "44" }, {}, true],
  [{ hs: "45" }, {}, false],
  [{ hs: "440710" }, { product: "440710" }, true],
  [{ hs: null }, { product: "440710" }, false],
  [{ flow: "EXPORT" }, {}, false],
  [{ threshold: 15 }, {}, true],
  [{ threshold: 15.1 }, {}, false],
  [{ from: "2026-09" }, {}, true],
  [{ from: "2026-10" }, {}, false],
  [{}, { z: -15, direction: "drop" }, true],
  [{}, { synthetic: true }, false],
  [{ dataset: "sandbox" }, {}, false],
  [{ dataset: "comext" }, {}, true],
  [{ dataset: "sandbox" }, { synthetic: true, dataset: "sandbox" }, true],
])("a watch for %j matches a finding with %j: %s", (watch, change, expected) => {
  expect(isWatched({ ...facts.watch, ...watch }, { ...finding, ...change })).toBe(expected);
});
