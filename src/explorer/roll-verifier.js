/** Why a roll or a bet, as rng_verify tells it, is not what its seed makes of it; undefined where it is. */
export async function faultOf({ roll, tenant, seed, chain_head }) {
  if (!seed || (await hash(1, seed)) !== roll.seed_hash) return "no seed with this hash was revealed";
  if ((await hash(roll.chain_index, roll.seed_hash)) !== chain_head) return "its chain has another head";
  const key = await subtle.importKey("raw", unhex(seed), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const text = (round) => `v1:${tenant}:${roll.game_type}:${roll.client_seed}:${roll.nonce}:${round}`;
  const block = (round) => subtle.sign("HMAC", key, new TextEncoder().encode(text(round)));
  const stream = (await Promise.all(upTo(256).map(block))).flatMap((bytes) => [...new Uint8Array(bytes)]);
  const below = (n, k = [0, 1, 2, 3, 4].find((i) => 256 ** i >= n), value = sum(stream.splice(0, k), 256)) =>
    value < Math.floor(256 ** k / n) * n ? value % n : below(n, k);
  const shuffle = (n) => upTo(n).reduceRight((order, last) => swap(order, last, below(last + 1)), upTo(n));
  const made = { __proto__: null,
    dice: (p, dice = upTo(p.count).map(() => 1 + below(p.sides))) => ({ dice, total: sum(dice, 1) }),
    coin: () => ({ side: ["heads", "tails"][below(2)] }), "lounge-dice": () => ({ number: 1 + below(100) }),
    range: ({ min, max }) => ({ value: min + below(max - min + 1) }),
    float: () => ({ value: (below(2 ** 32) * 2 ** 21 + (below(2 ** 32) >>> 11)) / 2 ** 53 }),
    shuffle: ({ items }, order = shuffle(items.length)) => ({ order, items: order.map((at) => items[at]) }),
    pick: ({ items }, [index] = shuffle(items.length)) => ({ index, item: items[index] }),
    keno: () => ({ drawn: shuffle(62).slice(0, 20).map((at) => at + 1) }),
    roulette: () => ({ pocket: [...upTo(37), "00", "000"].map(String)[below(39)] }),
  }[roll.game_type]?.(roll.params);
  return made && sorted(made) === sorted(roll.result) ? undefined : `the seed makes ${JSON.stringify(made)}`;
}
const { subtle } = globalThis.crypto;
const unhex = (hex) => Uint8Array.from(hex.match(/../g), (byte) => Number.parseInt(byte, 16));
const hexOf = (data) => [...new Uint8Array(data)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const hash = async (n, x) => n > 0 ? hash(n - 1, hexOf(await subtle.digest("SHA-256", unhex(x)))) : x;
const upTo = (n) => [...Array(n).keys()];
const sum = (digits, base) => digits.reduce((value, digit) => value * base + digit, 0);
const swap = (list, i, j) => list.with(i, list[j]).with(j, list[i]);
const sorted = (fields) => JSON.stringify(Object.entries(fields).sort());
/** The command line, where Node runs this file itself. A check that did not take place has not passed: it exits with 2. */
const NOT_YET = "not yet: its seed is still secret; retires_at of GET /v1/agent/rng/seed is the latest time";
const [script = "", ...files] = globalThis.process?.argv?.slice(1) ?? [];
const fs = script ? await import("node:fs") : undefined;
const url = decodeURIComponent(new URL(import.meta.url).pathname);
const isHere = (name) => fs.existsSync(name) && fs.realpathSync(name) === url;
if (fs && ([script, `${script}.js`, `${script}.mjs`].some(isHere) || (script === "-" && url.includes("[eval")))) {
  const isUsage = files.length === 0 || files.some((file) => file.startsWith("--"));
  if (isUsage) console.log("node roll-verifier.js PROOF.json … (an answer of POST /v1/agent/rng/verify each)");
  let code = isUsage && files[0] !== "--help" ? 2 : 0;
  for (const file of isUsage ? [] : files) {
    const checked = await Promise.resolve(file)
      .then((path) => JSON.parse(fs.readFileSync(path, "utf8")))
      .then(({ data, ...bare }) => data ?? bare)
      .then(async (it) => [it.roll.result, it.seed === null && !it.voided_at ? NOT_YET : await faultOf(it)])
      .catch((error) => error);
    const [result, fault] = checked instanceof Error ? [] : checked;
    const isBad = checked instanceof Error || fault === NOT_YET ? 2 : fault === undefined ? 0 : 1;
    const said = [JSON.stringify(result), fault, fault ?? `no proof of a roll: ${checked instanceof TypeError ? "it has no roll with a result" : checked.message}`][isBad];
    console.log(fault === NOT_YET ? "?   " : isBad === 0 ? "ok  " : "FAIL", `${file}: ${said}`);
    code = Math.max(code, isBad);
  }
  globalThis.process.exitCode = code;
}
