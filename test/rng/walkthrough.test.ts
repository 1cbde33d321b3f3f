/** Random numbers over real HTTP on the embedded chain, checked by a verifier written apart. */
import { createHash, createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

let service: Service;
let mine: Record<string, string>;
let other: Record<string, string>;

beforeAll(async () => {
  service = await startService({
    chain: "embedded",
    reactors: true,
    env: { SEED_ROLLS: "8", SEED_SECONDS: "3600" },
  });
  mine = (await service.issue({ tenant: "acme" })).headers;
  other = (await service.issue({ tenant: "other" })).headers;
  await until(async () => (await ask("GET", "seed")).status === 200);
});
afterAll(() => service?.stop());

type Json = ReturnType<typeof JSON.parse>;
type Answer = { status: number; body: Json };
async function ask(
  method: string,
  path: string,
  body?: object,
  headers = mine,
  more: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${service.url}/v1/agent/rng/${path}`, {
    method,
    headers: { ...headers, ...more, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
const roll = async (body: object, headers = mine) => (await ask("POST", "roll", body, headers)).body.data;

const sha256 = (hex: string) => createHash("sha256").update(Buffer.from(hex, "hex")).digest("hex");

/** A die, drawn by the text alone. */
function dieOf(seed: string, tenant: string, clientSeed: string, nonce: number, sides: number): number {
  for (let round = 0; ; round++) {
    const block = createHmac("sha256", Buffer.from(seed, "hex"))
      .update(`v1:${tenant}:dice:${clientSeed}:${nonce}:${round}`)
      .digest();
    for (const byte of block) if (byte < 256 - (256 % sides)) return 1 + (byte % sides);
  }
}

describe("a roll", () => {
  test("is drawn from the seed whose hash was published, and verified once that is revealed", async () => {
    const before = (await ask("GET", "seed")).body.data;
    const mineRolls = [];
    for (let n = 0; n < 8; n++)
      mineRolls.push(await roll({ client_seed: "chosen by me", params: { sides: 20 } }));
    expect(mineRolls.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(mineRolls.map(({ seed_hash }) => seed_hash))).toEqual(new Set([before.seed_hash]));
    await until(async () => (await ask("GET", "seed")).body.data.seed_hash !== before.seed_hash);
    const after = (await ask("GET", "seed")).body.data;
    const { seed } = after.revealed_before;
    expect([sha256(seed), after.revealed_before.seed_hash]).toEqual([before.seed_hash, before.seed_hash]);
    for (const { nonce, result } of mineRolls)
      expect(result.dice).toEqual([dieOf(seed, "acme", "chosen by me", nonce, 20)]);
    // Within a chain the seed that was revealed is the hash of the next one.
    expect(after.seed_hash).toBe(seed);
  });

  test("is proven at once by its HMACs, and by the seed once it is public", async () => {
    const { roll_id, seed_hash } = await roll({
      client_seed: "proven",
      game_type: "shuffle",
      params: { items: ["a", "b", "c", 4] },
    });
    const proof = (await ask("POST", "verify", { roll_id }, other)).body.data;
    expect(proof).toMatchObject({
      valid: true,
      checkable: false,
      seed: null,
      tenant: "acme",
      roll: { seed_hash },
    });
    expect(proof.proof).toHaveLength(1);
    expect(proof.proof[0].message).toBe("v1:acme:shuffle:proven:0:0");
    for (let n = 0; n < 8; n++) await roll({ client_seed: `${n}` });
    await until(async () => (await ask("POST", "verify", { roll_id })).body.data.seed !== null);
    const answer = (await ask("POST", "verify", { roll_id })).body.data;
    expect(answer).toMatchObject({ valid: true, checkable: true });
    expect(sha256(answer.seed)).toBe(seed_hash);
    expect(
      createHmac("sha256", Buffer.from(answer.seed, "hex")).update(answer.proof[0].message).digest("hex"),
    ).toBe(answer.proof[0].hmac);
    expect(answer.proof).toEqual(proof.proof);
  });

  test("repeated under one key is one roll", async () => {
    const key = { "Idempotency-Key": "once" };
    const [first, second] = await Promise.all([
      ask("POST", "roll", { client_seed: "twice" }, mine, key),
      ask("POST", "roll", { client_seed: "twice" }, mine, key),
    ]);
    expect(second).toEqual(first);
    expect((await ask("POST", "roll", { client_seed: "twice" }, mine, key)).body).toEqual(first.body);
    expect((await ask("POST", "roll", { client_seed: "else" }, mine, key)).status).toBe(422);
  });

  test("of one tenant changes no counter of another", async () => {
    const { seed_hash } = (await ask("GET", "seed")).body.data;
    const first = await roll({ client_seed: "ours", seed_hash });
    const theirs = await roll({ client_seed: "ours", seed_hash }, other);
    expect([first.nonce, theirs.nonce]).toEqual([0, 0]);
  });

  test("that requires an inactive seed draws nothing", async () => {
    const { status, body } = await ask("POST", "roll", { client_seed: "x", seed_hash: "0".repeat(64) });
    expect([status, body.type]).toEqual([409, expect.stringContaining("other-seed")]);
  });

  test.each([
    [{ game_type: "dice", params: { sides: 1 } }, "params.sides"],
    [{ game_type: "dice", params: { faces: 6 } }, "params.faces"],
    [{ game_type: "coin", params: { sides: 2 } }, "params.sides"],
    [{ game_type: "coin", params: [] }, "params"],
    [{ game_type: "range", params: { min: 5, max: 4 } }, "params.max"],
    [{ game_type: "range", params: { min: 0, max: 2 ** 32 } }, "params.max"],
    [{ game_type: "range" }, "params.max"],
    [{ game_type: "pick", params: { items: [] } }, "params.items"],
    [{ game_type: "pick", params: { items: ["a", null] } }, "params.items.1"],
    [{ game_type: "shuffle", params: { items: [2 ** 53 - 1, 2 ** 53] } }, "params.items.1"],
    [{ game_type: "shuffle", params: { items: [1e21] } }, "params.items.0"],
    [{ game_type: "poker" }, "game_type"],
    [{ client_seed: "x".repeat(257) }, "client_seed"],
    [{ client_seed: undefined }, "client_seed"],
  ])("%j is refused by its field", async (body, path) => {
    const { status, body: problem } = await ask("POST", "roll", { client_seed: "mine", ...body });
    expect([status, problem.errors[0].path]).toEqual([400, path]);
    expect(problem.errors[0].message).not.toMatch(/^(Invalid|Unrecognized|Too)/);
  });
});

test("a batch is all or nothing, in order, with consecutive nonces", async () => {
  // As many as a seed's limit, so that each batch begins with a new one.
  const rolls = Array.from({ length: 8 }, (_, n) => ({ client_seed: `batch ${n % 2}`, game_type: "coin" }));
  const ids = new Set<string>();
  for (let batch = 0; batch < 13; batch++) {
    const { body } = await ask("POST", "roll/batch", { rolls });
    expect(body.data.map(({ nonce }: { nonce: number }) => nonce)).toEqual(rolls.map((_, n) => n >> 1));
    for (const { roll_id } of body.data) ids.add(roll_id);
  }
  expect(ids.size).toBe(104);
  const bad = [...rolls.slice(1), { client_seed: "bad", game_type: "dice", params: { sides: 0 } }];
  const refused = await ask("POST", "roll/batch", { rolls: bad });
  expect([refused.status, refused.body.errors[0].path]).toEqual([400, "rolls.7.params.sides"]);
  const alone = await ask("POST", "roll/batch", { rolls: bad.slice(-1) });
  expect([alone.status, alone.body.errors[0].path]).toEqual([400, "rolls.0.params.sides"]);
  expect((await ask("POST", "roll/batch", { rolls: [...rolls, rolls[0]] })).status).toBe(400);
});

test("history is the caller's own, newest first, page by page", async () => {
  const seen = [];
  let cursor: string | null = null;
  do {
    const page: Answer = await ask("GET", `history?limit=40${cursor ? `&cursor=${cursor}` : ""}`);
    seen.push(...page.body.data);
    cursor = page.body.meta.next_cursor;
  } while (cursor);
  expect(new Set(seen.map(({ roll_id }) => roll_id)).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(100);
  const one = (await ask("GET", `history?roll_id=${seen[3].roll_id}`)).body.data;
  expect(one).toEqual([seen[3]]);
  expect((await ask("GET", `history?roll_id=${seen[3].roll_id}`, undefined, other)).body.data).toEqual([]);
});

test("a page of history ends early where its rolls are long, and the next one continues", async () => {
  const { headers } = await service.issue({ tenant: "long" });
  const items = Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(200, "x"));
  const rolled = [];
  for (let n = 0; n < 7; n++)
    rolled.unshift(
      (await roll({ client_seed: "long", game_type: "shuffle", params: { items } }, headers)).roll_id,
    );
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const path = `history?limit=100${cursor ? `&cursor=${cursor}` : ""}`;
    const { data, meta }: Answer["body"] = (await ask("GET", path, undefined, headers)).body;
    pages.push(data.map(({ roll_id }: { roll_id: string }) => roll_id));
    cursor = meta.next_cursor;
  } while (cursor);
  expect(pages.flat()).toEqual(rolled);
  expect(pages.map(({ length }) => length)).toEqual([5, 2]);
});

test("statistics count the rolls", async () => {
  const { data } = (await ask("GET", "stats?days=1")).body;
  const coins = data.find(({ game_type }: { game_type: string }) => game_type === "coin");
  expect(coins.rolls).toBe(104);
  expect(coins.cells.map(({ expected }: { expected: number }) => expected)).toEqual([
    52, 0, 0, 0, 0, 52, 0, 0, 0, 0,
  ]);
  expect(coins.chi_square.df).toBe(1);
});

describe("commitments", () => {
  test("to the head of a seed chain are mined before its first seed is active", async () => {
    const seed = (await ask("GET", "seed")).body.data;
    expect(seed.committed.network).toBe("eip155:8453");
    const first = await service.app.load(seeds, seeds.targetOf("live"));
    expect(Date.parse(seed.committed.committed_at)).toBeLessThanOrEqual(
      Date.parse(first.active!.activated_at) + 1_000,
    );
    let hash = seed.seed_hash;
    for (let n = 0; n < seed.chain_index; n++) hash = sha256(hash);
    expect(hash).toBe(seed.chain_head);
  });

  test("are requested by published hashes, and read back from the chain", async () => {
    const { seed_hash, chain_index, chain_head } = (await ask("GET", "seed")).body.data;
    expect((await ask("POST", "anchor/commit", { seed_hash, chain_index: chain_index + 1 })).status).toBe(
      409,
    );
    const request = await ask("POST", "anchor/commit", { seed_hash, chain_index });
    expect(request.body.data).toMatchObject({ seed_hash, chain_index });
    await until(async () => (await ask("POST", "anchor/verify", { seed_hash })).body.data.itself !== null);
    const proven = (await ask("POST", "anchor/verify", { seed_hash })).body.data;
    expect(proven).toMatchObject({
      committed: true,
      published: { chain_head },
      by_head: { signer: service.app.chain.sender },
    });
    await until(
      async () => (await ask("POST", "anchor/commit", { seed_hash })).body.data.status === "committed",
    );
    const history = (await ask("GET", "anchor/history")).body.data;
    expect(history.map((one: { seed_hash: string }) => one.seed_hash)).toContain(seed_hash);
    expect(new Set(history.map((one: { seed_hash: string }) => one.seed_hash)).size).toBe(history.length);
  });

  test("of unpublished hashes are refused and not found", async () => {
    expect((await ask("POST", "anchor/commit", { seed_hash: "0".repeat(64) })).status).toBe(404);
    expect((await ask("POST", "anchor/verify", { seed_hash: "0".repeat(64) })).body.data).toMatchObject({
      committed: false,
      published: null,
    });
  });
});

test("test keys draw from seeds of their own", async () => {
  const test = (await service.issue({ tenant: "acme", space: "test" })).headers;
  const [live, own] = [await ask("GET", "seed"), await ask("GET", "seed", undefined, test)];
  expect(own.body.data.space).toBe("test");
  expect(own.body.data.chain_head).not.toBe(live.body.data.chain_head);
});
