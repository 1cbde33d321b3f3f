/** The lounge over real HTTP on the embedded chain: bets, what proves them, refusals, the menu and the bar. */
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as account from "../../src/domain/lounge/account.ts";
import { drinkNames } from "../../src/domain/lounge/bar.ts";
import { ATTO, decimalTokens } from "../../src/domain/lounge/token.ts";
import { faultOf } from "../../src/explorer/roll-verifier.js";
import { buy } from "../support/buyer.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type Answer, type Headers, type LoungeSetup, openLoungeSetup } from "./lounge-setup.ts";

let setup: LoungeSetup;
let mine: Headers;
beforeAll(async () => {
  setup = await openLoungeSetup({ SEED_ROLLS: "40", SEED_SECONDS: "3600" });
  mine = await setup.keyOf("acme");
});
afterAll(() => setup?.service.stop());

const ask = (path: string, body?: object, headers = mine) => setup.ask(headers, path, body);
const play = (game: string, body: object, headers = mine) => ask(`lounge/${game}`, body, headers);

describe("a bet", () => {
  test("comes with the welcome grant if it is the account's first, changes the balance, and counts", async () => {
    const first = await play("roulette", { bet_type: 17, client_seed: "mine" });
    expect(first.body.data).toMatchObject({ bet_type: "17", stake: "1", welcome_grant: "100" });
    const then = await play("dice", { direction: "over", target: 98, client_seed: "mine", amount: 2.5 });
    expect(then.body.data).toMatchObject({ stake: "2.5", welcome_grant: null });
    expect([first, then].map(({ body }) => body.data.fairness.nonce)).toEqual([0, 1]);
    const atto = (text: string) => BigInt(Math.round(Number(text) * 1e6)) * 10n ** 12n;
    const { data } = first.body;
    expect(atto(data.balance)).toBe(99n * ATTO + atto(data.payout));
    expect(atto(then.body.data.balance)).toBe(atto(data.balance) - atto("2.5") + atto(then.body.data.payout));
    const again = await play("roulette", { bet_type: "red", amount: then.body.data.stake });
    expect(again.body.data).toMatchObject({ stake: "2.5", fairness: { nonce: 2 } });
    const { account: shown } = (await ask("lounge/menu?section=bar")).body.data;
    expect(shown).toMatchObject({
      balance: again.body.data.balance,
      granted: "100",
      staked: "6",
      debt: "0",
    });
  });

  test("is proven at once by its HMACs, and by the seed once that is revealed", async () => {
    const tenant = "prover";
    const headers = await setup.keyOf(tenant);
    const keno = (await play("keno", { numbers: [1, 2, 3], client_seed: "k" }, headers)).body.data;
    const wheel = (await play("roulette", { bet_type: "000", client_seed: "r" }, headers)).body.data;
    const die = (await play("dice", { direction: "under", target: 50, client_seed: "d", amount: 1 }, headers))
      .body.data;
    expect(keno.drawn).toHaveLength(20);
    expect(keno.hits).toEqual([1, 2, 3].filter((number) => keno.drawn.includes(number)));
    const texts = [keno, wheel, die].map(({ fairness }) => fairness.proof[0].message);
    expect(texts).toEqual([
      "v1:prover:keno:k:0:0",
      "v1:prover:roulette:r:1:0",
      "v1:prover:lounge-dice:d:2:0",
    ]);
    const unproven = (await ask("rng/verify", { roll_id: keno.roll_id })).body.data;
    expect(unproven).toMatchObject({ valid: true, proof: keno.fairness.proof, tenant });
    for (let n = 0; n < 50; n++) await play("roulette", { bet_type: "red" }, headers);
    const bets = { keno, roulette: wheel, "lounge-dice": die };
    for (const [game, { roll_id, fairness }] of Object.entries(bets)) {
      await until(async () => (await ask("rng/verify", { roll_id })).body.data.seed !== null);
      const { data } = (await ask("rng/verify", { roll_id })).body;
      expect(data.roll.game_type).toBe(game);
      expect(await faultOf(data)).toBeUndefined();
      const { message, hmac } = fairness.proof[0];
      expect(createHmac("sha256", Buffer.from(data.seed, "hex")).update(message).digest("hex")).toBe(hmac);
    }
    const { data: result } = (await ask("rng/verify", { roll_id: die.roll_id })).body;
    expect(result.roll.result).toEqual({ number: die.number });
  });

  test("beyond the balance is refused, and then draws and counts nothing", async () => {
    const headers = await setup.keyOf("poor");
    const { status, body } = await play("roulette", { bet_type: "red", amount: 101 }, headers);
    expect([status, body.type]).toEqual([409, expect.stringContaining("balance-too-low")]);
    expect(await setup.storyOf("poor")).toEqual([]);
  });

  test.each([
    ["keno", { numbers: [] }, "numbers"],
    ["keno", { numbers: [5, 5] }, "numbers"],
    ["keno", { numbers: [63] }, "numbers.0"],
    ["keno", { numbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], amount: 11 }, "amount"],
    ["roulette", { bet_type: "0000" }, "bet_type"],
    ["roulette", { bet_type: 37 }, "bet_type"],
    ["roulette", { bet_type: "red", amount: 0.5 }, "amount"],
    ["roulette", { bet_type: "red", amount: 1.0000001 }, "amount"],
    ["roulette", { bet_type: "red", amount: "1.0000001" }, "amount"],
    ["roulette", { bet_type: "red", amount: "0.999999" }, "amount"],
    ["roulette", { bet_type: "red", amount: "1000.000001" }, "amount"],
    ["roulette", { bet_type: "red", amount: "1e2" }, "amount"],
    ["roulette", { bet_type: "red", amount: -1 }, "amount"],
    ["roulette", { bet_type: "red", amount: null }, "amount"],
    ["dice", { direction: "under", target: 99, client_seed: "x", amount: 1 }, "target"],
    ["dice", { direction: "under", target: 50, amount: 1 }, "client_seed"],
    ["dice", { direction: "under", target: 50, client_seed: "x".repeat(257), amount: 1 }, "client_seed"],
    ["dice", { direction: "under", target: 50, client_seed: "x" }, "amount"],
    ["order", { drink: "water" }, "drink"],
    ["order", { drink: "gas-fee", mood_text: "x".repeat(281) }, "mood_text"],
  ])("%s %j is refused by its field", async (game, body, path) => {
    const answer = await play(game, body);
    expect([answer.status, answer.body.errors?.[0].path]).toEqual([400, path]);
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors?.[0].message).not.toMatch(/^(Invalid|Too)/);
  });

  test("of a paying wallet is from an account of its own, with one welcome grant", async () => {
    const url = `${setup.service.url}/v1/agent/lounge/dice`;
    const body = JSON.stringify({ direction: "under", target: 50, client_seed: "paid", amount: 1 });
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
    const answers = [await buy(wallet(3), url, init), await buy(wallet(3), url, init)];
    const results = await Promise.all(
      answers.map(async ({ answer }) => ((await answer.json()) as Answer["body"]).data),
    );
    expect(results.map(({ welcome_grant }) => welcome_grant)).toEqual(["100", null]);
    const { balance } = await setup.service.app.load(
      account,
      account.targetOf(`wallet:${addressOf(wallet(3))}`),
    );
    expect(decimalTokens(balance)).toBe(results[1].balance);
  });

  test("with a test key is drawn from test seeds, from an account of its own", async () => {
    const headers = await setup.keyOf("acme", "test");
    await until(async () => (await ask("rng/seed", undefined, headers)).status === 200);
    const { data } = (await play("roulette", { bet_type: "green" }, headers)).body;
    expect(data).toMatchObject({ welcome_grant: "100", fairness: { space: "test", nonce: 0 } });
  });
});

test("a bet is among the caller's rolls, and counts as a use of the seed", async () => {
  const { data } = (await ask("rng/history?limit=100")).body;
  expect(new Set(data.map(({ game_type }: { game_type: string }) => game_type))).toEqual(
    new Set(["roulette", "lounge-dice"]),
  );
  // More than forty bets were played on seeds of forty uses.
  expect((await ask("rng/seed")).body.data.chain_index).toBeGreaterThan(0);
});

describe("the menu and the bar", () => {
  test("answer with the requested item", async () => {
    const sections = await Promise.all(
      ["games", "bar", "all"].map((section) => ask(`lounge/menu?section=${section}`)),
    );
    expect(sections.map(({ body }) => Object.keys(body.data))).toEqual([
      ["account", "deposit", "games"],
      ["account", "deposit", "bar"],
      ["account", "deposit", "games", "bar"],
    ]);
    const { games, bar } = sections[2]!.body.data;
    expect(bar.map(({ drink }: { drink: string }) => drink)).toEqual(drinkNames);
    expect(games.roulette.wheel).toHaveLength(39);
    for (const bet of [...games.keno.bets, ...games.roulette.bets, ...games.dice.bets]) {
      const chances = bet.pays.map(({ chance }: { chance: number }) => chance) as number[];
      expect(chances.reduce((a, b) => a + b)).toBeCloseTo(1, 9);
      const paid = bet.pays.reduce(
        (sum: number, { chance, multiplier }: Record<string, number>) => sum + chance! * multiplier!,
        0,
      );
      expect(1 - paid).toBeCloseTo(bet.house_edge, 9);
    }
  });

  test("answer equal orders equally and another mood differently, and never repeat the mood", async () => {
    const order = async (body: object) => (await play("order", body)).body.data;
    const one = await order({ drink: "warm-wallet", mood_text: "Tired, <b>so</b> tired" });
    expect(one).toEqual(await order({ drink: "warm-wallet", mood_text: "tired, <b>so</b> tired " }));
    expect(one.mood).toBe("tired");
    expect(one.answer).not.toContain("<b>");
    expect((await order({ drink: "warm-wallet" })).mood).toBe("unsaid");
  });
});
