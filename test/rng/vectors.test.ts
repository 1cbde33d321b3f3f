import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canonicalText } from "../../eventstore/canonical.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { shownRoll } from "../../src/api/operations/rng/fields.ts";
import { ByteStream, message } from "../../src/domain/games/bytes.ts";
import { type DrawnName, drawnNames, play, readParams } from "../../src/domain/games/drawn.ts";
import { faultOf } from "../../src/explorer/roll-verifier.js";

type Vector = {
  tenant: string;
  seed: string;
  chain_head: string;
  roll: {
    game_type: DrawnName;
    params: Record<string, unknown>;
    client_seed: string;
    nonce: number;
    result: Record<string, unknown>;
    seed_hash: string;
    chain_index: number;
  };
  proof: { message: string; hmac: string }[];
};
const path = new URL("../../docs/vectors/rng.json", import.meta.url);
const { rolls } = JSON.parse(readFileSync(path, "utf8")) as { rolls: Vector[] };
const named = rolls.map(
  (vector) => [`${vector.roll.game_type} ${JSON.stringify(vector.roll.params)}`, vector] as const,
);

test("the vectors have a roll of every game", () =>
  expect(new Set(rolls.map(({ roll }) => roll.game_type))).toEqual(new Set(drawnNames)));

describe.each(named)("%s", (_, vector) => {
  test("is drawn as in the vectors", () => {
    const { roll, tenant, seed, proof } = vector;
    const draw = { tenant, game: roll.game_type, client_seed: roll.client_seed, nonce: roll.nonce };
    const bytes = new ByteStream(Buffer.from(seed, "hex"), draw);
    const { items: _, item: __, ...drawn } = roll.result;
    expect(play(roll.game_type, readParams(roll.game_type, roll.params), bytes)).toEqual(drawn);
    expect(bytes.blocks.map((hmac, round) => ({ message: message(draw, round), hmac }))).toEqual(proof);
  });

  test("is verified by the independent verifier", async () => expect(await faultOf(vector)).toBeUndefined());

  test.each([
    ["another seed", { seed: "00".repeat(32) }, /no seed with this hash/],
    ["no seed", { seed: null }, /no seed with this hash/],
    ["another head", { chain_head: "00".repeat(32) }, /another head/],
  ])("is not verified with %s", async (_, change, fault) =>
    expect(await faultOf({ ...vector, ...change })).toMatch(fault),
  );

  test("is refused at another location in the chain", async () => {
    const { roll } = vector;
    const chain_index = roll.chain_index + 1;
    expect(await faultOf({ ...vector, roll: { ...roll, chain_index } })).toMatch(/another head/);
    expect(await faultOf({ ...vector, roll: { ...roll, seed_hash: "00".repeat(32) } })).toMatch(/no seed/);
  });

  test("is refused with any change of its result", async () => {
    const { roll } = vector;
    const changed = Object.entries(roll.result).flatMap(([name, value]) => [
      { ...roll.result, [name]: other(value) },
      { ...roll.result, [name]: undefined },
    ]);
    for (const result of [...changed, { ...roll.result, more: 1 }, {}])
      expect(await faultOf({ ...vector, roll: { ...roll, result } })).toMatch(/the seed makes/);
  });

  test("is verified with any order of its result's members", async () => {
    const result = Object.fromEntries(Object.entries(vector.roll.result).reverse());
    expect(await faultOf({ ...vector, roll: { ...vector.roll, result } })).toBeUndefined();
  });
});

/** The like of a value, but not it. */
function other(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.slice(0, -1), other(value.at(-1))];
  return typeof value === "number" ? value + 1 : `${String(value)}0`;
}

test.each(["constructor", "toString", "__proto__", "poker"])(
  "a game called %s is refused",
  async (game_type) => {
    const [vector] = rolls as [Vector];
    for (const result of [{}, { side: "heads" }])
      expect(await faultOf({ ...vector, roll: { ...vector.roll, game_type, result } })).toMatch(/seed makes/);
  },
);

test("a tenant is part of the signed bytes", async () => {
  const wide = rolls.filter(({ roll }) => ["float", "keno"].includes(roll.game_type) || roll.params.count);
  expect(wide.length).toBeGreaterThan(4);
  for (const vector of wide.filter(({ roll }) => roll.params.count !== 1)) {
    const { roll } = vector;
    expect(await faultOf({ ...vector, tenant: "else" })).toMatch(/the seed makes/);
    for (const change of [{ client_seed: "else" }, { nonce: roll.nonce + 1 }])
      expect(await faultOf({ ...vector, roll: { ...roll, ...change } })).toMatch(/the seed makes/);
  }
});

/** Parameters at their edges: of one choice, of one byte and the next, of the most there may be. */
const edges: Record<DrawnName, object[]> = {
  dice: [2, 6, 255, 256, 257, 1_000].map((sides) => ({ sides, count: 100 })),
  coin: [{}],
  range: [0, 1, 255, 256, 65_535, 65_536, 2 ** 24 - 1, 2 ** 24, 2 ** 31, 2 ** 32 - 1].flatMap((span) =>
    [0, -span, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - span].map((min) => ({
      min,
      max: min + span,
    })),
  ),
  float: [{}],
  shuffle: [1, 2, 256, 257, 1_000].map((length) => ({ items: Array.from({ length }, (_, at) => at) })),
  pick: [1, 2, 256, 257, 1_000].map((length) => ({ items: Array.from({ length }, (_, at) => `${at % 7}`) })),
  keno: [{ numbers: [1] }],
  roulette: [{ bet_type: "red" }],
  "lounge-dice": [{ direction: "over", target: 2 }],
};

test.each(drawnNames)(
  "the verifier draws %s as the service does, at the edges of its parameters",
  async (game) => {
    const secret = Buffer.alloc(32, 3);
    const seed_hash = createHash("sha256").update(secret).digest("hex");
    const place = { space: "test", chain: 1, index: 0, seed_hash } as const;
    const seeds = ["a", "a:0", ":", "é", "é".normalize("NFD"), "😀".repeat(64), "\n", "\u2028"];
    for (const [at, params] of edges[game].entries())
      for (const nonce of edges[game].length > 1
        ? [at % seeds.length, (at + 3) % seeds.length]
        : seeds.keys()) {
        const client_seed = seeds[nonce]!;
        const draw = { tenant: "test:acme", game, client_seed, nonce };
        const read = readParams(game, params);
        const result = play(game, read, new ByteStream(secret, draw));
        const facts = { ...draw, ...place, params: read, result, roll_id: "", rolled_at: "" };
        const proof = { roll: shownRoll(facts), tenant: draw.tenant, seed: secret.toString("hex") };
        expect(await faultOf({ ...proof, chain_head: seed_hash })).toBeUndefined();
      }
  },
);

test.each(drawnNames)(
  "the recorded event of %s has the log's canonical form, and serializes to the same text",
  (game) => {
    for (const params of edges[game]) {
      const read = readParams(game, params);
      const result = play(
        game,
        read,
        new ByteStream(Buffer.alloc(32), { tenant: "", game, client_seed: "", nonce: 0 }),
      );
      const said = { params: read, result };
      expect(JSON.stringify(said)).toBe(canonicalText(said as unknown as JsonObject, "said"));
    }
  },
);

test("the verifier is thirty lines of normal width, and needs nothing else", () => {
  const text = readFileSync(new URL("../../src/explorer/roll-verifier.js", import.meta.url), "utf8");
  const [verifier = "", command] = text.split("/** The command line");
  expect(command).toBeTruthy();
  const lines = verifier.trimEnd().split("\n");
  expect(lines.filter((line) => !line.startsWith("/**")).length).toBeLessThanOrEqual(30);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(110);
  expect(verifier).not.toMatch(/\b(import|require|fetch)\b/);
});

test("the verifier run by Node, under any name, reports each proof as valid or not, and exits with 2 if it checked none", async () => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-rolls-"));
  try {
    const script = join(dir, "rolls.mjs");
    await copyFile(new URL("../../src/explorer/roll-verifier.js", import.meta.url), script);
    const [proof] = rolls;
    await writeFile(join(dir, "good.json"), JSON.stringify({ data: proof }));
    await writeFile(join(dir, "bad.json"), JSON.stringify({ ...proof, seed: "00".repeat(32) }));
    const run = (...args: string[]) => {
      const { status, stdout } = spawnSync(process.execPath, [script, ...args], {
        cwd: dir,
        encoding: "utf8",
      });
      return [status, stdout];
    };
    expect(run("good.json")).toEqual([0, expect.stringMatching(/^ok {3}good\.json: /)]);
    expect(run("good.json", "bad.json")).toEqual([1, expect.stringContaining("FAIL bad.json: no seed")]);
    await writeFile(
      join(dir, "early.json"),
      JSON.stringify({ data: { ...proof, seed: null, voided_at: null } }),
    );
    expect(run("early.json")).toEqual([
      2,
      expect.stringMatching(/^\? {4}early\.json: not yet: its seed is still/),
    ]);
    for (const args of [[], ["missing.json"], ["rolls.mjs"], ["good.json", "missing.json"], ["--wrong"]])
      expect(run(...args)[0]).toBe(2);
  } finally {
    await rm(dir, { recursive: true });
  }
});
