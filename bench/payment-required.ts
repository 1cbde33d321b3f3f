/**
 * Claim: the offer and the challenge of a 402 cost at most half of what the 402 costs without them.
 *
 *     npx tsx bench/payment-required.ts [--rounds 15] [--calls 1000]
 *
 * The making of one 402 of trade_top_partners, without its HTTP; the ways take turns. An offer names the URL that it is
 * for, so that a URL that was not requested within the last minute costs a signature. Processor time, not the clock's.
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { parseArgs } from "node:util";
import { createIssuer } from "../src/api/serve/x402/issuer.ts";
import { type PaymentTerms, paymentRequired } from "../src/api/serve/x402/required.ts";
import { areas } from "../src/areas/index.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, calls: { type: "string", default: "1000" } },
});
const calls = Number(values.calls);

const { privateKey: key } = generateKeyPairSync("ed25519");
const public_url = "https://tally.example.org";
const pay_to = "0x209693bc6afc0c5328ba36faf03c514ef312287c";
const bare: PaymentTerms = { pay_to, public_url, embedded_chain: false, receiver_authorizer: pay_to };
const parts = {
  signer: {
    kid: "k".repeat(43),
    public_key: { kty: "OKP" as const, crv: "Ed25519" as const, x: "x".repeat(43) },
    sign: (bytes: Uint8Array) => sign(null, bytes, key),
  },
  link_secret: randomBytes(32),
  clock: { now: () => new Date() },
  pay_to: pay_to as `0x${string}`,
};
const full: PaymentTerms = { ...bare, issuer: createIssuer(parts, public_url) };

const operation = areas
  .flatMap(({ operations = [] }) => operations)
  .find(({ name }) => name === "trade_top_partners")!;
const PATH = "/v1/agent/trade/top-partners?reporter=DE&limit=3";
const made = (terms: PaymentTerms, path: string) =>
  paymentRequired(operation, path, terms, { price: "0.05" });

let urls = 0;
const ways: Record<string, () => unknown> = {
  "without offer and challenge": () => made(bare, PATH),
  "with both, a URL of the last minute": () => made(full, PATH),
  "with both, a new URL": () => made(full, `${PATH}&page=${urls++}`),
  "an Ed25519 signature alone": () => sign(null, randomBytes(400), key),
};
const rounds = new Map<string, number[]>();
for (let round = 0; round < Number(values.rounds); round++)
  for (const [name, make] of Object.entries(ways)) {
    const begun = process.cpuUsage();
    for (let n = 0; n < calls; n++) make();
    const { user, system } = process.cpuUsage(begun);
    rounds.set(name, [...(rounds.get(name) ?? []), (user + system) / calls]);
  }
console.log("| way | median µs | least µs |\n|---|---|---|");
for (const [name, all] of rounds) {
  const sorted = all.toSorted((a, b) => a - b);
  console.log(`| ${name} | ${sorted[sorted.length >> 1]!.toFixed(0)} | ${sorted[0]!.toFixed(0)} |`);
}
