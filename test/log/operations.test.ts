/** An auditor's use of /log, over real HTTP, while the log is signed and anchored on a real chain. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EventHeader, eventHash, metaHash, payloadHash } from "../../eventstore/hash.ts";
import { openCheckpoint } from "../../src/anchoring/checkpoint.ts";
import { formatVerifierKey, parseVerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { consistencyFault, inclusionFault } from "../../src/anchoring/proofs.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { decodeBundle, hashesIn } from "../../src/anchoring/tiles.ts";
import { openTlogProof } from "../../src/anchoring/tlog-proof.ts";
import { Frontier, leafHash, rootOver } from "../../src/anchoring/tree.ts";
import type { App } from "../../src/core/app.ts";
import * as apiKey from "../../src/domain/access/key.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import { verifyProof } from "../../src/explorer/proof.ts";
import { headsProjection } from "../../src/projections/anchoring/heads.ts";
import { streamsProjection } from "../../src/projections/anchoring/streams.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { facts } from "../payments/sample-operations.ts";
import { scaled } from "../support/scale.ts";
import { startService } from "../support/service.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";

type Service = Awaited<ReturnType<typeof startService>>;
let workshop: Workshop;
let service: Service;
let mine: { Authorization: string };
let theirs: { Authorization: string };

const OWN_EVENTS = 300;

beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  const env = {
    ...{ ANCHORING: "1", CHECKPOINT_SECONDS: "1", ANCHOR_SECONDS: "1" },
    OPEN_CALLS_PER_MINUTE: "1000000",
  };
  service = await startService({ chain, env, reactors: true });
  mine = (await service.issue({ tenant: "acme" })).headers;
  theirs = (await service.issue({ tenant: "globex" })).headers;
  for (let n = 0; n < OWN_EVENTS; n++) await happen(service.app, `k_walk_${n}`);
  await until(async () => ((await json<Status>("/log/status")).anchor?.size ?? 0) >= OWN_EVENTS);
  for (let n = 0; n < 100; n++) await workshop.rpc("evm_mine");
  await until(async () => (await json<Status>("/log/status")).anchor?.firmness === "final");
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

/** An event of the tenant acme. */
const happen = (app: App, name: string) =>
  app.decide(apiKey, { tenant: "acme", id: name }, apiKey.issue(facts(name)), {
    meta: { actor: "test", operation: "test" },
  });

const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });
async function json<T>(path: string, headers: Record<string, string> = {}): Promise<T> {
  const answer = await get(path, headers);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}
const bytes = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer());
const refusal = async (path: string) => {
  const answer = await get(path);
  return {
    status: answer.status,
    caching: answer.headers.get("cache-control"),
    ...((await answer.json()) as object),
  };
};
const fromHex = (hex: string) => Buffer.from(hex, "hex");

type Status = {
  key: string;
  events: number;
  checkpoint: { size: number; root: string };
  anchor: { size: number; root: string; firmness: string } | null;
  unproven_events: number;
};
type EventAnswer = {
  event: {
    position: number;
    event_hash: string;
    stream: string;
    payload: string;
    meta: string;
    meta_hash: string;
    prev_hash: string;
  };
  checkpoint: string;
  inclusion: { size: number; proof: string[] };
  tlog_proof: string;
  anchor: {
    size: number;
    root: string;
    firmness: string;
    account_proof: string[];
    inclusion: { size: number; proof: string[] };
  } | null;
  pending: object | null;
};
type ListAnswer = { position: number; type: string; event_id: string; stream: string; payload?: object };

/** The header of an event's hash, in the words of the log. */
const headerOf = ({ event }: Pick<EventAnswer, "event">) => event as unknown as EventHeader;

const checkpointNow = async () => {
  const note = await (await get("/log/checkpoint")).text();
  const log = parseVerifierKey((await (await get("/log/key")).text()).trimEnd());
  return openCheckpoint(note, { log });
};
/** The event of this tenant's stream, from the log itself. */
const idOf = async (stream_id: string) => {
  const { rows } = await service.app.pool.query<{ event_id: string }>(
    "select event_id from eventstore.events where stream_id = $1 order by version limit 1",
    [stream_id],
  );
  return rows[0]!.event_id;
};

describe("the tree", () => {
  test("fetched tile by tile gives the checkpoint's root, from its entries and from its hashes", async () => {
    const { size, root } = await checkpointNow();
    expect(size).toBeGreaterThan(256);
    const width = size - 256;
    const entries = [
      ...decodeBundle(await bytes("/log/tile/entries/000"))!,
      ...decodeBundle(await bytes(`/log/tile/entries/001.p/${width}`))!,
    ];
    expect(entries).toHaveLength(size);
    const tree = new Frontier();
    for (const entry of entries) tree.append(leafHash(entry));
    expect(tree.root()).toEqual(root);
    const first = await bytes("/log/tile/0/000");
    const hashes = [...hashesIn(first), ...hashesIn(await bytes(`/log/tile/0/001.p/${width}`))];
    expect(hashes).toEqual(entries.map(leafHash));
    expect(await bytes("/log/tile/1/000.p/1")).toEqual(rootOver(hashesIn(first)));
  });

  test("is immutable: tiles and proofs of a size may be cached for ever, a checkpoint may not", async () => {
    const immutable = "public, max-age=31536000, immutable";
    for (const [path, caching] of [
      ["/log/tile/0/000", immutable],
      ["/log/tile/0/000.p/7", immutable],
      ["/log/consistency?first=3&second=9", immutable],
      ["/log/inclusion?position=3&size=9", immutable],
      ["/log/consistency?first=3", "no-cache"],
      ["/log/inclusion?position=3", "no-cache"],
      ["/log/checkpoint", "public, max-age=5"],
    ])
      expect([path, (await get(path!)).headers.get("cache-control")]).toEqual([path, caching]);
    const tile = await get("/log/tile/0/000");
    expect(tile.headers.get("content-type")).toBe("application/octet-stream");
    expect((await get("/log/checkpoint")).headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const again = await get("/log/tile/0/000", { "If-None-Match": tile.headers.get("etag")! });
    expect(again.status).toBe(304);
  });

  test("states its size where a request exceeds it, and that answer is not cached", async () => {
    for (const [path, text] of [
      ["/log/tile/0/x999/000", "does not reach"],
      ["/log/tile/63/000", "does not reach"],
      ["/log/tile/0/001", "request /log/tile/0/001.p/"],
      ["/log/tile/entries/001", "request /log/tile/entries/001.p/"],
      ["/log/consistency?first=1&second=9007199254740", "not yet 9007199254740"],
      ["/log/inclusion?position=1&size=9007199254740", "not yet 9007199254740"],
      ["/log/inclusion?position=12&size=11", "no event at position 12"],
      ["/log/proof/019b76da-a800-7000-8000-00000000dead", "no such event id"],
    ])
      expect([path, await refusal(path!)]).toEqual([
        path,
        expect.objectContaining({ status: 404, caching: null, detail: expect.stringContaining(text!) }),
      ]);
    expect(await refusal("/log/consistency?first=9&second=3")).toMatchObject({
      status: 400,
      errors: [{ path: "first" }],
    });
  });

  test("proves between any two sizes that it only grew, and what it contains", async () => {
    const { size, root } = await checkpointNow();
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: size }), fc.nat({ max: size }), async (a, b) => {
        const [first, second] = a < b ? [a, b] : [b, Math.max(a, 1)];
        const answer = await json<{ first_root: string; second_root: string; proof: string[] }>(
          `/log/consistency?first=${first}&second=${second}`,
        );
        const [first_root, second_root] = [fromHex(answer.first_root), fromHex(answer.second_root)];
        const proof = answer.proof.map(fromHex);
        expect(consistencyFault({ first, second, first_root, second_root, proof })).toBeUndefined();
        if (second === size) expect(second_root).toEqual(root);
        const position = Math.max(first, 1);
        const found = await json<{ event_hash: string; root: string; proof: string[] }>(
          `/log/inclusion?position=${position}&size=${second}`,
        );
        expect(
          inclusionFault({
            ...{ index: position - 1, size: second, leaf: leafHash(fromHex(found.event_hash)) },
            ...{ root: second_root, proof: found.proof.map(fromHex) },
          }),
        ).toBeUndefined();
      }),
      { numRuns: scaled(40, 10) },
    );
  });
});

describe("the proof of an event", () => {
  test("shows its owner the inputs of its hash, and strangers a keyed hash of its stream", async () => {
    const event_id = await idOf("key-k_walk_7");
    const own = await json<EventAnswer>(`/log/proof/${event_id}`, mine);
    const { payload, meta, prev_hash } = own.event;
    const { origin } = await service.app.store.identity();
    const hash = eventHash({
      ...headerOf(own),
      origin,
      payload_hash: payloadHash(Buffer.from(payload)),
      meta_hash: metaHash(Buffer.from(meta)),
      prev_hash: fromHex(prev_hash),
    });
    expect(hash.toString("hex")).toBe(own.event.event_hash);
    expect(own.event.stream).toBe("key-k_walk_7");
    for (const headers of [{}, theirs]) {
      const { event } = await json<EventAnswer>(`/log/proof/${event_id}`, headers);
      expect(Object.keys(event).sort()).toEqual(
        ["event_hash", "event_id", "log_hash", "position", "recorded_at", "stream", "type"].sort(),
      );
      expect(event.stream).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  test("verifies under the checkpoint, as one text too, and under the anchor", async () => {
    const shown = await json<EventAnswer>(`/log/proof/${await idOf("key-k_walk_7")}`);
    const { event, inclusion, anchor, checkpoint, tlog_proof } = shown;
    const log = parseVerifierKey((await json<Status>("/log/status")).key);
    const event_hash = fromHex(event.event_hash);
    const { size, root } = openCheckpoint(checkpoint, { log });
    const index = event.position - 1;
    const leaf = leafHash(event_hash);
    expect(inclusion.size).toBe(size);
    expect(inclusionFault({ index, size, leaf, root, proof: inclusion.proof.map(fromHex) })).toBeUndefined();
    expect(openTlogProof(tlog_proof, event_hash, { log })).toMatchObject({ index, size });
    expect(anchor).toMatchObject({ network: "eip155:8453", firmness: "final" });
    expect(anchor!.account_proof.length).toBeGreaterThan(0);
    expect(
      inclusionFault({
        ...{ index, size: anchor!.inclusion.size, leaf },
        ...{ root: fromHex(anchor!.root), proof: anchor!.inclusion.proof.map(fromHex) },
      }),
    ).toBeUndefined();
    expect(shown.pending).toBeNull();
  });

  test("passes the second verifier for every caller, and fails if one digit changes", async () => {
    const event_id = await idOf("key-k_walk_7");
    for (const headers of [{}, mine]) {
      const shown = await json<EventAnswer>(`/log/proof/${event_id}`, headers);
      const judged = await verifyProof(shown);
      expect(judged.verdicts.filter(({ ok }) => !ok)).toEqual([]);
      const { position, event_hash } = shown.event;
      const other = (event_hash[0] === "0" ? "1" : "0") + event_hash.slice(1);
      for (const forged of [
        { ...shown, event: { ...shown.event, event_hash: other } },
        { ...shown, event: { ...shown.event, position: position + 1 } },
        { ...shown, anchor: { ...shown.anchor!, root: other } },
      ])
        expect((await verifyProof(forged)).ok).toBe(false);
    }
  });

  test("shows anybody the inputs of a public event's hash", async () => {
    const { events } = await json<{ events: ListAnswer[] }>("/log/events?limit=200");
    const { event_id } = events.find(({ type }) => type === "CheckpointSigned")!;
    const { event } = await json<EventAnswer>(`/log/proof/${event_id}`);
    const { origin } = await service.app.store.identity();
    const hash = eventHash({
      ...headerOf({ event }),
      origin,
      payload_hash: payloadHash(Buffer.from(event.payload)),
      meta_hash: fromHex(event.meta_hash),
      prev_hash: fromHex(event.prev_hash),
    });
    expect(hash.toString("hex")).toBe(event.event_hash);
    expect(event).not.toHaveProperty("meta");
  });
});

describe("the history", () => {
  test("is listed page by page, the newest first, without duplicates or gaps", async () => {
    const { position } = await service.app.store.head();
    const found: ListAnswer[] = [];
    for (let before: number | null = position + 1; before !== null; ) {
      const page: { events: ListAnswer[]; next: number | null } = await json(
        `/log/events?before=${before}&limit=97`,
      );
      found.push(...page.events);
      before = page.next;
    }
    expect(found.map((event) => event.position)).toEqual(
      Array.from({ length: position }, (_, n) => position - n),
    );
    const seen = new Set(found.filter(({ payload }) => payload).map(({ type }) => type));
    expect([...seen].sort()).toEqual(expect.arrayContaining(["AnchorFinal", "Anchored", "CheckpointSigned"]));
    for (const { type, stream } of found) if (!seen.has(type)) expect(stream).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(found)).not.toContain("k_walk_");
  });

  test("is narrowed to a type or a stream, page by page", async () => {
    const of = async (query: string) => {
      const found: ListAnswer[] = [];
      for (let before = ""; ; ) {
        const page: { events: ListAnswer[]; next: number | null } = await json(
          `/log/events?limit=3&${query}${before}`,
        );
        found.push(...page.events);
        if (page.next === null) return found;
        before = `&before=${page.next}`;
      }
    };
    const { origin } = await service.app.store.identity();
    let signed = await of("type=CheckpointSigned");
    // More than a page of checkpoints: each new event gets one.
    for (let n = 0; signed.length <= 3; n++) {
      const { length } = signed;
      await happen(service.app, `k_page_${n}`);
      await until(async () => (signed = await of("type=CheckpointSigned")).length > length);
    }
    expect(signed.length).toBeGreaterThan(3);
    expect(new Set(signed.map(({ type }) => type))).toEqual(new Set(["CheckpointSigned"]));
    const stream = await of(`stream=anchor-${origin}`);
    expect(stream.length).toBeGreaterThan(signed.length);
    expect(new Set(stream.map((event) => event.stream))).toEqual(new Set([`anchor-${origin}`]));
    expect(await refusal("/log/events?type=None")).toMatchObject({ status: 400, errors: [{ path: "type" }] });
  });

  test("shows a tenant's own events to its key, and to nobody else", async () => {
    expect(await refusal("/log/events?own=true")).toMatchObject({ status: 401 });
    const own = await json<{ events: ListAnswer[] }>("/log/events?own=true&limit=200", mine);
    expect(own.events).toHaveLength(200);
    for (const { stream, payload } of own.events) {
      expect(stream).toMatch(/^key-/);
      expect(payload).toMatchObject({ tenant: "acme" });
    }
    for (const headers of [{}, theirs]) {
      const { events } = await json<{ events: ListAnswer[] }>("/log/events?stream=key-k_walk_1", headers);
      expect(events).toEqual([]);
    }
    const { events } = await json<{ events: ListAnswer[] }>("/log/events?stream=key-k_walk_1", mine);
    expect(events).toHaveLength(1);
    const [hashed] = (await json<{ events: ListAnswer[] }>("/log/events?type=KeyIssued&limit=1")).events;
    const same = await json<{ events: ListAnswer[] }>(`/log/events?stream=${hashed!.stream}`);
    expect(same.events).toEqual([hashed]);
  });

  test("is searched by position, id, transaction, type and stream, and private streams by their owner alone", async () => {
    type SearchAnswer = { found: { kind: string; title: string; page: string }[] };
    const search = async (q: string, headers = {}) =>
      (await json<SearchAnswer>(`/log/search?q=${encodeURIComponent(q)}`, headers)).found;
    const [newest] = (await json<{ events: ListAnswer[] }>("/log/events?limit=1")).events;
    const { event_id, position } = newest!;
    const page = `/log#events/${event_id}`;
    expect(await search(String(position))).toEqual([expect.objectContaining({ kind: "event", page })]);
    expect(await search(event_id)).toEqual([expect.objectContaining({ kind: "event", page })]);
    const { anchors: made } = await json<{ anchors: { transaction: string }[] }>("/log/anchors?limit=1");
    expect(await search(made[0]!.transaction)).toEqual([
      expect.objectContaining({ kind: "transaction", title: "Anchored" }),
    ]);
    expect(await search("checkpointsig")).toEqual([
      expect.objectContaining({ kind: "type", page: "/log#events?type=CheckpointSigned" }),
    ]);
    const { origin } = await service.app.store.identity();
    expect(await search(`anchor-${origin}`)).toEqual([expect.objectContaining({ kind: "stream" })]);
    expect(await search("key-k_walk_1")).toEqual([]);
    expect(await search("key-k_walk_1", theirs)).toEqual([]);
    expect(await search("key-k_walk_1", mine)).toEqual([
      expect.objectContaining({ kind: "stream", title: "key-k_walk_1" }),
    ]);
    expect(await search("nothing at all")).toEqual([]);
  });

  test("in streams shows the number of events of each, and hides the names of others' streams", async () => {
    const { position } = await service.app.store.head();
    expect(await service.app.runner.reached(streamsProjection, position, LIMIT_MS)).toBe(true);
    const { streams } = await json<{
      streams: { stream: string; public: boolean; events: number; last_position: number }[];
    }>("/log/streams?limit=200");
    expect(streams).toHaveLength(200);
    const places = streams.map(({ last_position }) => last_position);
    expect(places).toEqual([...places].sort((a, b) => b - a));
    const { origin } = await service.app.store.identity();
    const anchoring = await service.app.headOf(anchors, anchors.targetOf(origin));
    const [own] = streams.filter((stream) => stream.public);
    expect(own!.stream).toBe(`anchor-${origin}`);
    expect(own!.events).toBeLessThanOrEqual(anchoring!.version);
    for (const { stream } of streams.filter((one) => !one.public)) expect(stream).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(streams.map(({ stream }) => stream)).size).toBe(200);
  });

  test("to checkpoints and anchors is complete, each joined to the next", async () => {
    const { position } = await service.app.store.head();
    expect(await service.app.runner.reached(headsProjection, position, LIMIT_MS)).toBe(true);
    const log = parseVerifierKey((await (await get("/log/key")).text()).trimEnd());
    const { checkpoints } = await json<{
      checkpoints: { size: number; root: string; note: string; cosigned_by: string[] }[];
    }>("/log/checkpoints?limit=200");
    expect(checkpoints.length).toBeGreaterThan(0);
    for (const { size, root, note } of checkpoints)
      expect(openCheckpoint(note, { log })).toMatchObject({ size, root: fromHex(root) });
    const page = await json<{ checkpoints: { size: number }[] }>(
      `/log/checkpoints?before=${checkpoints[0]!.size}&limit=200`,
    );
    expect(page.checkpoints).toEqual(checkpoints.slice(1));
    const { anchors } = await json<{ anchors: { size: number; root: string; firmness: string }[] }>(
      "/log/anchors?limit=200",
    );
    expect(anchors.at(-1)).toMatchObject({ firmness: "final" });
    for (const { size, root } of anchors) {
      const { second_root } = await json<{ second_root: string }>(`/log/consistency?first=1&second=${size}`);
      expect(second_root).toBe(root);
    }
  });
});

describe("any request", () => {
  const isRefused = async (path: string) => {
    const answer = await get(path);
    await answer.body?.cancel();
    return answer.status === 400 || answer.status === 404;
  };

  test("for tiles gets a tile, or a refusal with the reason", async () => {
    const segment = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 12 }),
      fc.constantFrom(
        "0",
        "000",
        "x000",
        "x001",
        "entries",
        "000.p",
        "256",
        "..",
        ".",
        "%2F",
        "-1",
        "1e3",
        "",
      ),
      fc.integer({ min: -1, max: 2 ** 31 }).map(String),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 8 }), async (segments) => {
        const path = segments.map(encodeURIComponent).join("/");
        const answer = await get(`/log/tile/${path}`);
        const body = Buffer.from(await answer.arrayBuffer());
        // fetch resolves dots to another path under /log.
        if (answer.status === 200 && new URL(answer.url).pathname.startsWith("/log/tile/"))
          expect(body.length % 2).toBe(0);
        else expect([200, 400, 404]).toContain(answer.status);
      }),
      { numRuns: scaled(150, 10) },
    );
    for (const path of ["0/0", "00/000", "0/x000/000", "0/000.p/256", "0/000.p/0", "0/000.p/01", "64/000"])
      expect([path, (await refusal(`/log/tile/${path}`)).status]).toEqual([path, 400]);
    for (const path of ["0/x999/x999/x999/x999/x999/999", `63/x009/x007/x199/x254/x740/992`])
      expect([path, await isRefused(`/log/tile/${path}`)]).toEqual([path, true]);
  });

  test("for numbers is answered or refused by name", async () => {
    const odd = [
      "-1",
      "0",
      "1.5",
      "1e3",
      "9007199254740992",
      "999999999999999",
      "NaN",
      "",
      " 1",
      "0x10",
      "１",
    ];
    for (const [path, name] of [
      ["/log/inclusion?position=", "position"],
      ["/log/inclusion?position=1&size=", "size"],
      ["/log/consistency?first=", "first"],
      ["/log/consistency?first=1&second=", "second"],
      ["/log/events?before=", "before"],
      ["/log/events?limit=", "limit"],
      ["/log/streams?limit=", "limit"],
      ["/log/checkpoints?before=", "before"],
      ["/log/anchors?before=", "before"],
    ])
      for (const number of odd) {
        const answer = await get(path + encodeURIComponent(number));
        const text = await answer.text();
        expect([200, 400, 404]).toContain(answer.status);
        if (answer.status === 400) expect(text).toContain(`"path":"${name}"`);
      }
  });
});

test("a service without signatures reports that, and if it will sign", async () => {
  const witness = formatVerifierKey(verifierKey("witness.example", "cosignature/v1", Buffer.alloc(32, 7)));
  const env = { ANCHORING: "1", WITNESSES: `https://witness.example/#${witness}` };
  const on = await startService({ env });
  const off = await startService();
  for (const [of, result] of [
    [on, "no checkpoint is signed yet"],
    [off, "without ANCHORING"],
  ] as const) {
    await happen(of.app, "k_first");
    for (const path of [
      "/log/checkpoint",
      "/log/tile/0/000",
      "/log/inclusion?position=1",
      "/log/consistency?first=0",
    ]) {
      const answer = await fetch(of.url + path);
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        404,
        expect.stringContaining(result),
      ]);
    }
    expect(await (await fetch(`${of.url}/log/status`)).json()).toMatchObject({
      ...{ events: 1, checkpoint: null, anchor: null, unproven_events: 1 },
      detail: of === on ? null : expect.stringContaining(result),
      witnesses: of === on ? [witness] : [],
    });
  }
  await signTick(on.app, { checkpoint_every_events: 0 });
  expect((await fetch(`${on.url}/log/checkpoint`)).status).toBe(200);
  await Promise.all([on.stop(), off.stop()]);
});
