/**
 * The published history of the log follows its events: the fate of every checkpoint and anchor, and only public
 * parts.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as apiKey from "../../src/domain/access/key.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import { headsProjection } from "../../src/projections/anchoring/heads.ts";
import { facts } from "../payments/sample-operations.ts";
import { type Service, startService } from "../support/service.ts";
import { LIMIT_MS } from "../support/until.ts";

let service: Service & { database_url: string };
let app: App;
beforeAll(async () => {
  service = await startService({ env: { ANCHORING: "1" } });
  app = service.app;
});
afterAll(() => service?.stop());

const meta = { actor: "test", operation: "test" };
const AT = "2026-01-02T03:04:05.678Z";

const decide = async (decision: (state: anchors.AnchorState) => anchors.AnchorEvent[]) => {
  const { origin } = await app.store.identity();
  await app.decide(anchors, anchors.targetOf(origin), decision, { meta });
};
const checkpointNow = async () => {
  const { origin } = await app.store.identity();
  return (await app.load(anchors, anchors.targetOf(origin))).checkpoint!;
};
const appendEvent = async (name: string) => {
  await app.decide(apiKey, { tenant: "acme", id: name }, apiKey.issue(facts(name)), { meta });
  await signTick(app, { checkpoint_every_events: 0 });
  return checkpointNow();
};
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const anchored = async (checkpoint: anchors.SignedCheckpoint, transaction: Hex, block: Hex) => {
  const { size, root } = checkpoint;
  const place = {
    network: "eip155:8453",
    contract: `0x${"c".repeat(40)}`,
    signer: `0x${"5".repeat(40)}`,
  } as const;
  const mined = { transaction, block_number: size, block_hash: block, timestamp: 1, fee_wei: "7" };
  await decide(anchors.anchor({ size, root, ...place, ...mined, anchored_at: AT }));
};

async function getJson<T>(path: string, of: Service = service): Promise<T> {
  const { position } = await of.app.store.head();
  expect(await of.app.runner.reached(headsProjection, position, LIMIT_MS)).toBe(true);
  const answer = await fetch(of.url + path);
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

test("anchors are listed with their outcome, and checkpoints with their cosigners", async () => {
  const first = await appendEvent("k_first");
  await anchored(first, hash("a"), hash("1"));
  // The same transaction moved to another block.
  await anchored(first, hash("a"), hash("2"));
  const second = await appendEvent("k_second");
  await anchored(second, hash("b"), hash("3"));
  await decide(anchors.reorg(hash("b"), AT));
  const third = await appendEvent("k_third");
  await anchored(third, hash("d"), hash("4"));
  await decide(anchors.finalise(hash("a"), AT));
  const { anchors: list } = await getJson<{ anchors: Record<string, unknown>[] }>("/log/anchors");
  expect(list.map(({ transaction, block_hash, firmness }) => [transaction, block_hash, firmness])).toEqual([
    [hash("d"), hash("4"), "mined"],
    [hash("b"), hash("3"), "reorged"],
    [hash("a"), hash("2"), "final"],
    [hash("a"), hash("1"), "reorged"],
  ]);
  const page = await getJson<{ anchors: object[]; next: number }>("/log/anchors?limit=3");
  expect(page.anchors).toEqual(list.slice(0, 3));
  const rest = await getJson<{ anchors: object[]; next: null }>(`/log/anchors?limit=3&before=${page.next}`);
  expect(rest).toEqual({ anchors: list.slice(3), next: null, as_of_position: expect.any(Number) });

  const fourth = await appendEvent("k_fourth");
  await anchored(fourth, hash("e"), hash("5"));
  // A final anchor makes all earlier ones final.
  await decide(anchors.finalise(hash("e"), AT));
  const later = await getJson<{ anchors: Record<string, unknown>[] }>("/log/anchors");
  expect(later.anchors.map(({ firmness }) => firmness)).toEqual([
    "final",
    "final",
    "reorged",
    "final",
    "reorged",
  ]);

  const cosignature = `— witness.example ${Buffer.alloc(76, 1).toString("base64")}`;
  const { size, root } = fourth;
  const cosigned = { size, root, witness: "witness.example", cosignature, timestamp: 1, cosigned_at: AT };
  await decide(anchors.cosign(cosigned));
  const { checkpoints } = await getJson<{ checkpoints: Record<string, unknown>[] }>("/log/checkpoints");
  expect(checkpoints.map((one) => one.cosigned_by)).toEqual([["witness.example"], [], [], []]);
  const published = await (await fetch(`${service.url}/log/checkpoint`)).text();
  expect(checkpoints[0]!.note).toBe(published);
  expect(published).toBe(`${fourth.note}${cosignature}\n`);
});

test("the list shows a public payload unless it is long; the event's proof always has it whole", async () => {
  const transactions = Array.from({ length: 1_000 }, () => hash("f"));
  const { size, root } = await appendEvent("k_long");
  const payload = { size, root, signer: `0x${"5".repeat(40)}`, transactions, pending_at: AT };
  const stream_id = "anchor-elsewhere";
  await app.store.append({
    appends: [
      {
        tenant: "operator",
        stream_id,
        expected_version: "absent",
        events: [{ type: "AnchorPending", payload }],
      },
    ],
    meta,
  });
  const { events } = await getJson<{ events: Record<string, unknown>[] }>("/log/events?limit=2");
  expect(events.map(({ type, payload, stream }) => [type, payload !== undefined, stream])).toEqual([
    ["AnchorPending", false, stream_id],
    ["CheckpointSigned", true, expect.stringMatching(/^anchor-/)],
  ]);
  const { event } = await getJson<{ event: { payload: string } }>(`/log/proof/${events[0]!.event_id}`);
  expect(JSON.parse(event.payload)).toEqual(payload);
});

test("a private stream has the same name in every answer, and another one at another service", async () => {
  const beside = await startService({ beside: service });
  const stranger = await startService();
  await stranger.app.decide(apiKey, { tenant: "acme", id: "k_named" }, apiKey.issue(facts("k_named")), {
    meta,
  });
  await appendEvent("k_named");
  const nameIn = async (of: Service) => {
    const { streams } = await getJson<{ streams: { stream: string; public: boolean }[] }>("/log/streams", of);
    return streams.find((stream) => !stream.public)!.stream;
  };
  const { events } = await getJson<{ events: { type: string; stream: string }[] }>("/log/events?limit=5");
  const name = await nameIn(service);
  expect(events.find(({ type }) => type === "KeyIssued")!.stream).toBe(name);
  expect(await nameIn(beside)).toBe(name);
  expect(await nameIn(stranger)).toMatch(/^[0-9a-f]{64}$/);
  expect(await nameIn(stranger)).not.toBe(name);
  // One stream_id under two tenants is two streams.
  await app.decide(apiKey, { tenant: "globex", id: "k_named" }, apiKey.issue(facts("k_named")), { meta });
  expect(await nameIn(service)).not.toBe(name);
  await Promise.all([beside.stop(), stranger.stop()]);
});

test("events of the log, data, seeds and agents are public; those of payments, keys and tenants are not", () => {
  expect(app.unit.schemas.publicTypes().sort()).toEqual([
    "AgentApiKeyIssued",
    "AgentDelegated",
    "AgentDelegationRevoked",
    "AgentDescribed",
    "AgentKeyBound",
    "AgentKeyFreed",
    "AgentKeyProven",
    "AgentKeyRevoked",
    "AgentLinked",
    "AgentRegistered",
    "AgentReinstated",
    "AgentSuspended",
    "AgentUnlinked",
    "AnchorFinal",
    "AnchorPending",
    "AnchorReorged",
    "Anchored",
    "AttestationAnchored",
    "AttestationMade",
    "AttestationReorged",
    "AttestationRevocationAnchored",
    "AttestationRevocationReorged",
    "AttestationRevoked",
    "AttestationSent",
    "AttestationUnsent",
    "CheckpointCosigned",
    "CheckpointSigned",
    "DatasetReleased",
    "DutiesCompared",
    "DutyChanged",
    "FrontRunWatched",
    "LogSegmentSealed",
    "PaperTradeClosed",
    "PaperTradeExpired",
    "PaperTradeOpened",
    "PaperTradeStopped",
    "PassportIssued",
    "PassportRevoked",
    "ReferenceReleased",
    "SeedActivated",
    "SeedChainAbandoned",
    "SeedChainCommitted",
    "SeedChainPublished",
    "SeedCommitmentAsked",
    "SeedCommitmentReorged",
    "SeedCommitted",
    "SeedRevealed",
    "SignalsEvaluated",
    "SignalsMonthEvaluated",
    "TrustComputed",
    "TrustSeeded",
  ]);
});
