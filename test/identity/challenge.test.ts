/** Forged challenges: the check for each difference refuses it, whoever signed it. */
import { getAddress } from "viem/utils";
import { expect, test } from "vitest";
import {
  CHALLENGE_SECONDS,
  type ChallengeFields,
  type ChallengeUse,
  challengeChecks,
  challengeText,
  faultOf,
  type Issuer,
  readChallenge,
} from "../../src/domain/identity/challenge.ts";
import { didOf, publicKey } from "../../src/domain/identity/public-key.ts";
import { ed25519Key, evmKey } from "./agents.ts";

const issuer: Issuer = { public_url: "https://soul.example.org", secret: Buffer.alloc(32, 7) };
const use: ChallengeUse = { agent_id: "Scout", purpose: "prove", about: null };
const NOW = 1_800_000_000;
/** The point (0, 1), of order 1, whose signature (R = sB, s) fits every text. */
const LOW = Buffer.from([1, ...new Array(31).fill(0)]).toString("base64url");
const [wallet, otherWallet, ed, otherEd] = [evmKey(), evmKey(), ed25519Key(), ed25519Key()];
const saying = (key: { name: string }, changed: Partial<ChallengeFields> = {}): ChallengeFields => ({
  ...use,
  key: publicKey.parse(key.name),
  issued_at: NOW,
  salt: "0123456789abcdef",
  ...changed,
});
const siwe = challengeText(issuer, saying(wallet));
const jwt = challengeText(issuer, saying(ed));
const claims = (changed: object) => JSON.stringify({ ...JSON.parse(jwt), ...changed });
const swapped = (from: string | RegExp, to: string) => {
  expect(siwe.replace(from, to)).not.toBe(siwe);
  return siwe.replace(from, to);
};
/** A challenge of another service, or of this one for another use. */
const given = (changed: Partial<ChallengeFields>, key = wallet as { name: string }, by = issuer) =>
  challengeText(by, saying(key, changed));
const elsewhere = { ...issuer, public_url: "https://evil.example.org" };
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

type Forgery = [what: string, check: string, text: string, now_s?: number];
const forgeries: Forgery[] = [
  ["a text for another domain", "domain", given({}, wallet, elsewhere)],
  ["another domain written in", "domain", swapped("soul.example.org wants", "evil.example.org wants")],
  ["another address of the service", "uri", swapped("URI: https://soul", "URI: https://evil")],
  ["another port", "uri", swapped("soul.example.org\nVersion", "soul.example.org:444\nVersion")],
  ["another chain", "chainId", swapped("Chain ID: 8453", "Chain ID: 1")],
  ["the test chain", "chainId", swapped("Chain ID: 8453", "Chain ID: 84532")],
  ["a JWT for another audience", "aud", given({}, ed, elsewhere)],
  ["an audience written in", "aud", claims({ aud: "https://evil.example.org" })],
  ["an issuer that is not a key", "key", claims({ iss: "did:web:evil.example.org" })],
  [
    "an issuer of another curve",
    "key",
    claims({ iss: "did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme" }),
  ],
  ["an issuer of low order", "key", claims({ iss: didOf({ kind: "ed25519", public: LOW }) })],
  ["a text for another agent", "agent", given({ agent_id: "Other" })],
  ["another agent written in", "agent", swapped("urn:agent:scout", "urn:agent:other")],
  ["a JWT for another agent", "agent", given({ agent_id: "Other" }, ed)],
  ["no agent", "agent", swapped("- urn:agent:scout\n", "")],
  ["a text to revoke", "purpose", given({ purpose: "revoke" })],
  ["another purpose written in", "purpose", swapped("urn:purpose:prove", "urn:purpose:delegate")],
  ["a JWT to rotate", "purpose", given({ purpose: "rotate" }, ed)],
  ["a text that vouches for another key", "about", given({ about: "0xabc" })],
  ["something it is about, written in", "about", `${siwe}\n- urn:about:passport`],
  ["a JWT about something", "about", given({ about: "passport" }, ed)],
  ["a text from the future", "early", given({ issued_at: NOW + 60 })],
  ["a JWT from the future", "early", given({ issued_at: NOW + 60 }, ed)],
  ["a text at the second that it ends", "expired", siwe, NOW + CHALLENGE_SECONDS],
  ["a JWT at the second that it ends", "expired", jwt, NOW + CHALLENGE_SECONDS],
  ["one that ends later, written in", "expired", claims({ exp: NOW + 9_999 }), NOW + CHALLENGE_SECONDS],
  ["a nonce made up", "nonce", swapped(/Nonce: \w+/, "Nonce: 0123456789abcdef0123456789abcdef")],
  [
    "the nonce of another key",
    "nonce",
    swapped(/0x[0-9a-fA-F]{40}/, getAddress(otherWallet.name as `0x${string}`)),
  ],
  ["the issuer of another JWT", "nonce", claims({ iss: otherEd.name })],
  ["a later beginning", "nonce", claims({ iat: NOW + 1, exp: NOW + 601 })],
  [
    "the nonce of a service with another secret",
    "nonce",
    given({}, wallet, { ...issuer, secret: Buffer.alloc(32) }),
  ],
  ["another statement", "altered", swapped("This wallet speaks", "This wallet never speaks")],
  ["an ending written in", "altered", swapped(iso(NOW + CHALLENGE_SECONDS), iso(NOW + 300))],
  ["a line at the end", "altered", `${siwe}\n`],
  ["one more resource", "altered", `${siwe}\n- https://evil.example.org`],
  ["spaces in the JSON", "altered", JSON.stringify(JSON.parse(jwt), null, 1)],
  [
    "members in another order",
    "altered",
    JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(jwt)).reverse())),
  ],
];

const judged = (text: string, now_s = NOW, checks = challengeChecks) =>
  faultOf({ parsed: readChallenge(text)!, use, issuer, now_s }, checks);

test.each([
  ["a wallet", siwe],
  ["Ed25519", jwt],
])("a challenge of %s is valid until the second of its end", (_, text) => {
  expect(judged(text)).toBeUndefined();
  expect(judged(text, NOW + CHALLENGE_SECONDS - 1)).toBeUndefined();
});

test.each(forgeries)(
  "%s is refused by the check `%s`, and passes without that check",
  (_, name, text, now_s) => {
    const fault = judged(text, now_s);
    expect(fault?.path).toMatch(/^challenge/);
    const check = challengeChecks.find((one) => one.name === name)!;
    const of = { parsed: readChallenge(text)!, use, issuer, now_s: now_s ?? NOW };
    expect(check.refuses(of)).toEqual(fault);
    const others = challengeChecks.filter((one) => one !== check);
    // `nonce` and `altered` would refuse most cases too, but with another message.
    if (name === "key") expect(() => judged(text, now_s, others)).toThrow();
    else expect(judged(text, now_s, others)).not.toEqual(fault);
  },
);

test("every check has a forgery", () => {
  const tried = new Set(forgeries.map(([, name]) => name));
  // EIP-4361 has one version, and no parser accepts another.
  expect(challengeChecks.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual(["version"]);
});

test.each([
  "",
  "{",
  "{}",
  "hello",
  jwt.slice(0, -2),
  claims({ admin: true }),
  claims({ iat: "1" }),
  "soul.example.org wants you",
])("a text that is not a challenge is not parsed: %s", (text) => expect(readChallenge(text)).toBeUndefined());
