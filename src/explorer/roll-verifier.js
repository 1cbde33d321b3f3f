/** Verifies a roll or a bet, as rng_verify answers it once its seed is revealed, by docs/rng.md alone; runs in Node and in browsers.
 * @typedef {{ roll: { game_type: string, params: any, client_seed: string, nonce: number, result: any, seed_hash: string,
 *   chain_index: number }, tenant: string, seed: string | null, chain_head: string | null }} RollProof */
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (byte) => Number.parseInt(byte, 16));
const hexOf = (bytes) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (hex) => hexOf(await crypto.subtle.digest("SHA-256", bytesOf(hex)));

/** Why the roll is not what its seed makes of it; undefined when all is as it should be.
 * @param {any} proof @returns {Promise<string | undefined>} */
export async function faultOf({ roll, tenant, seed, chain_head }) {
  if ((await sha256(seed)) !== roll.seed_hash) return "the seed is not the one whose hash was published";
  let head = roll.seed_hash;
  for (let n = 0; n < roll.chain_index; n++) head = await sha256(head);
  if (head !== chain_head) return "the seed is not of the chain whose head was committed";
  const key = await crypto.subtle.importKey("raw", bytesOf(seed), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const bytes = [];
  let round = 0;
  const number = async (length) => {
    const text = () => `v1:${tenant}:${roll.game_type}:${roll.client_seed}:${roll.nonce}:${round++}`;
    while (bytes.length < length)
      bytes.push(...new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text()))));
    return bytes.splice(0, length).reduce((value, byte) => value * 256 + byte, 0);
  };
  const below = async (n) => {
    const length = [0, 1, 2, 3, 4].find((k) => 256 ** k >= n);
    for (;;) {
      const value = await number(length);
      if (value < 256 ** length - (256 ** length % n)) return value % n;
    }
  };
  const several = async (count, one) => {
    const all = [];
    while (all.length < count) all.push(await one());
    return all;
  };
  const shuffled = async (order) => {
    for (let i = order.length - 1; i > 0; i--) {
      const j = await below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  };
  const { sides, count, min, max, items } = roll.params;
  const drawn = {
    dice: async () => several(count, async () => 1 + (await below(sides))),
    coin: async () => ((await below(2)) === 0 ? "heads" : "tails"),
    range: async () => min + (await below(max - min + 1)),
    float: async () => ((await number(4)) * 2 ** 21 + Math.floor((await number(4)) / 2 ** 11)) / 2 ** 53,
    shuffle: async () => shuffled(items.map((_, place) => place)),
    pick: async () => (await shuffled(items.map((_, place) => place)))[0],
    keno: async () => (await shuffled(Array.from({ length: 62 }, (_, place) => place + 1))).slice(0, 20),
    roulette: async () => [...Array(37).keys(), "00", "000"].map(String)[await below(39)],
    "lounge-dice": async () => 1 + (await below(100)),
  };
  const { dice, side, value, order, index, pocket, ...bet } = roll.result;
  const told = dice ?? side ?? value ?? order ?? index ?? pocket ?? bet.drawn ?? bet.number;
  const made = await drawn[roll.game_type]();
  return JSON.stringify(made) === JSON.stringify(told)
    ? undefined
    : `the seed makes ${JSON.stringify(made)} of it`;
}
