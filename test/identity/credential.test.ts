/**
 * Third parties read a passport: with a stock library, the service's published keys, and the status list's standard.
 */
import { gunzipSync } from "node:zlib";
import { createLocalJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIST_BITS, statusBits } from "../../src/domain/identity/credential.ts";
import { bytesOfDid } from "../../src/domain/identity/public-key.ts";
import { revokePassport, setSuspended } from "../../src/operator/agents.ts";
import { type Service, startService } from "../support/service.ts";
import { caller, ed25519Key, PROXIED } from "./agents.ts";

let service: Service;
let api: ReturnType<typeof caller>;
beforeAll(async () => {
  service = await startService({ env: PROXIED });
  api = caller(service.url);
});
afterAll(() => service.stop());

type Credential = {
  id: string;
  issuer: string;
  credentialSubject: { [member: string]: unknown; encodedList?: string };
  credentialStatus: { statusPurpose: string; statusListIndex: string; statusListCredential: string }[];
};

/** Fetches a credential, and verifies it by jose with the service's published key. */
async function verified(url: string): Promise<Credential> {
  const response = await fetch(url);
  expect(response.headers.get("content-type")).toBe("application/vc+jwt");
  const token = await response.text();
  const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as {
    keys: (JWK & { x: string })[];
  };
  const { kid } = decodeProtectedHeader(token);
  const set = createLocalJWKSet({ keys });
  const { payload } = await jwtVerify(token, set, { typ: "vc+jwt", algorithms: ["EdDSA"] });
  const credential = payload as unknown as Credential;
  // Over http there is no did:web, so the issuer is the key itself.
  expect(kid).toBe(`${credential.issuer}#${credential.issuer.slice("did:key:".length)}`);
  expect(Buffer.from(bytesOfDid(credential.issuer)!).toString("base64url")).toBe(keys[0]!.x);
  return credential;
}

/** By the standard: multibase u, gzip, the bit at the index from the left. */
async function isSet({ credentialStatus }: Credential, purpose: string): Promise<boolean> {
  const entry = credentialStatus.find(({ statusPurpose }) => statusPurpose === purpose)!;
  const { credentialSubject } = await verified(entry.statusListCredential);
  expect(credentialSubject.statusPurpose).toBe(purpose);
  const encoded = credentialSubject.encodedList!;
  expect(encoded[0]).toBe("u");
  const bytes = gunzipSync(Buffer.from(encoded.slice(1), "base64url"));
  expect(bytes).toHaveLength(16_384);
  const index = Number(entry.statusListIndex);
  return ((bytes[Math.floor(index / 8)]! >> (7 - (index % 8))) & 1) === 1;
}

test("a stock library verifies the credential with the agent's keys, and its status follows the agent", async () => {
  const key = ed25519Key();
  await api.post("/soul/register", { agent_id: "holder", ...(await api.proof(key, "holder")) });
  await api.post("/soul/register", { agent_id: "neighbour" });
  const url = `${service.url}/soul/passport/holder/credential`;
  const credential = await verified(url);
  expect(credential).toMatchObject({
    "@context": [expect.stringContaining("credentials/v2"), expect.anything()],
    id: `${service.url}/soul/passport/1/credential`,
    type: ["VerifiableCredential", "AgentPassport"],
    credentialSubject: { agent_id: "holder", sx_id: "SX#1", proven: true, alsoKnownAs: [key.name] },
  });
  expect(await (await fetch(url)).text()).toBe(await (await fetch(url)).text());
  const neighbour = await verified(`${service.url}/soul/passport/2/credential`);
  const standing = async (of: Credential) => [await isSet(of, "revocation"), await isSet(of, "suspension")];
  expect(await standing(credential)).toEqual([false, false]);
  await setSuspended(service.app, "holder", { suspended: true, reason: "asked" });
  expect(await standing(credential)).toEqual([false, true]);
  await revokePassport(service.app, "holder", "fraud");
  expect(await standing(credential)).toEqual([true, false]);
  expect(await standing(neighbour)).toEqual([false, false]);
  expect((await fetch(`${service.url}/soul/passport/3/credential`)).status).toBe(404);
});

test("a credential with any change is invalid", async () => {
  const token = await (await fetch(`${service.url}/soul/passport/2/credential`)).text();
  const [header, payload, signature] = token.split(".") as [string, string, string];
  const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as {
    keys: { x: string }[];
  };
  const set = { kty: "OKP", crv: "Ed25519", x: keys[0]!.x };
  const other = Buffer.from(payload, "base64url").toString().replace("neighbour", "neighbouR");
  for (const forged of [
    `${header}.${Buffer.from(other).toString("base64url")}.${signature}`,
    `${Buffer.from('{"alg":"none","typ":"vc+jwt"}').toString("base64url")}.${payload}.`,
    `${header}.${payload}.${signature.slice(0, -6)}AAAAAA`,
  ])
    await expect(jwtVerify(forged, set)).rejects.toThrow();
  await expect(jwtVerify(token, set)).resolves.toBeDefined();
});

test("a list has only the bits of its own numbers", () => {
  const set = [0, 1, 7, 8, 131_071, 131_072, 262_143];
  for (const list of [0, 1]) {
    const bits = statusBits(list, set);
    const found = Array.from({ length: LIST_BITS }, (_, at) => at).filter(
      (at) => (bits[at >> 3]! >> (7 - (at & 7))) & 1,
    );
    expect(found.map((at) => at + list * LIST_BITS)).toEqual(
      set.filter((one) => Math.floor(one / LIST_BITS) === list),
    );
  }
});
