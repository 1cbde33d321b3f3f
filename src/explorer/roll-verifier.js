/** Verifies a roll or a bet, as rng_verify answers it once its seed is revealed, by docs/rng.md alone; runs in Node and in browsers.
 * @typedef {{ roll: { game_type: string, params: any, client_seed: string, nonce: number, result: any, seed_hash: string,
 *   chain_index: number }, tenant: string, seed: string | null, chain_head: string | null }} RollProof */
const list = (length, first = 0) => Array.from({ length }, (_, at) => at + first);
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (byte) => Number.parseInt(byte, 16));
const hexOf = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (hex) => hexOf(await crypto.subtle.digest("SHA-256", bytesOf(hex)));
/** Why the roll is not what its seed makes of it; undefined when all is as it should be.
 * @param {any} proof @returns {Promise<string | undefined>} */
export async function faultOf({ roll, tenant, seed, chain_head }) {
  let hash = await sha256(seed);
  if (hash !== roll.seed_hash) return "the seed is not the one whose hash was published";
  for (let n = 0; n < roll.chain_index; n++) hash = await sha256(hash);
  if (hash !== chain_head) return "the seed is not of the chain whose head was committed";
  const key = await crypto.subtle.importKey("raw", bytesOf(seed), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const { game_type: game, params: { sides, count, min, max, items }, result } = roll;
  const stream = (async function* () {
    for (let round = 0, text = `v1:${tenant}:${game}:${roll.client_seed}:${roll.nonce}:`; ; round++)
      yield* new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text + round)));
  })();
  const number = async (bytes) => bytes === 0 ? 0 : (await number(bytes - 1)) * 256 + (await stream.next()).value;
  async function below(n) {
    const reach = 256 ** [0, 1, 2, 3, 4].find((bytes) => 256 ** bytes >= n);
    for (;;) { const value = await number(Math.log2(reach) / 8); if (value < reach - (reach % n)) return value % n; }
  }
  async function shuffled(all) {
    for (let i = all.length - 1; i > 0; i--) { const j = await below(i + 1); [all[i], all[j]] = [all[j], all[i]]; }
    return all;
  }
  async function several(of, draw) { const all = []; for (let n = 0; n < of; n++) all.push(await draw()); return all; }
  const games = {
    dice: () => several(count, async () => 1 + (await below(sides))), coin: async () => ["heads", "tails"][await below(2)],
    range: async () => min + (await below(max - min + 1)), roulette: async () => [...list(37), "00", "000"].map(String)[await below(39)],
    float: async () => ((await number(4)) * 2 ** 21 + Math.floor((await number(4)) / 2 ** 11)) / 2 ** 53,
    shuffle: () => shuffled(list(items.length)), pick: async () => (await shuffled(list(items.length)))[0],
    keno: async () => (await shuffled(list(62, 1))).slice(0, 20), "lounge-dice": async () => 1 + (await below(100)),
  };
  const made = JSON.stringify(await games[game]());
  const told = result.dice ?? result.side ?? result.value ?? result.order ?? result.index ?? result.pocket ?? result.drawn ?? result.number;
  return made === JSON.stringify(told) ? undefined : `the seed makes ${made} of it`;
}
