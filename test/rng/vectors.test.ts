import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ByteStream, message } from "../../src/domain/rng/bytes.ts";
import { type DrawnName, drawnNames, play, readParams } from "../../src/domain/rng/games.ts";
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
  test("is drawn as the vectors say", () => {
    const { roll, tenant, seed, proof } = vector;
    const draw = { tenant, game: roll.game_type, client_seed: roll.client_seed, nonce: roll.nonce };
    const bytes = new ByteStream(Buffer.from(seed, "hex"), draw);
    expect(play(roll.game_type, readParams(roll.game_type, roll.params), bytes)).toEqual(roll.result);
    expect(bytes.blocks.map((hmac, round) => ({ message: message(draw, round), hmac }))).toEqual(proof);
  });

  test("is verified by the verifier that shares no line with the service", async () =>
    expect(await faultOf(vector)).toBeUndefined());

  test.each([
    ["another seed", { seed: "00".repeat(32) }, /seed is not the one/],
    ["another head", { chain_head: "00".repeat(32) }, /not of the chain/],
  ])("is not verified with %s", async (_, change, fault) =>
    expect(await faultOf({ ...vector, ...change })).toMatch(fault),
  );

  test("is not verified with another result", async () => {
    const result = {
      value: -99,
      dice: [7],
      side: "edge",
      order: [],
      index: -1,
      drawn: [],
      pocket: "0000",
      number: 0,
    };
    const changed = Object.fromEntries(
      Object.keys(vector.roll.result).map((name) => [name, result[name as keyof typeof result]]),
    );
    expect(await faultOf({ ...vector, roll: { ...vector.roll, result: changed } })).toMatch(/the seed makes/);
  });
});

test("a tenant is part of what is signed", async () => {
  const wide = rolls.filter(({ roll }) => roll.game_type === "float" || roll.params.count === 40);
  expect(wide).toHaveLength(2);
  for (const vector of wide) expect(await faultOf({ ...vector, tenant: "else" })).toMatch(/the seed makes/);
});
