/** Stock readers of identity and trust: siwe parses a wallet's signature, eas-sdk verifies attestations. */
import {
  EAS,
  Offchain,
  OffchainAttestationVersion,
  SchemaEncoder,
  type SignedOffchainAttestation,
} from "@ethereum-attestation-service/eas-sdk";
import { JsonRpcProvider } from "ethers";
import { SiweMessage } from "siwe";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { fetchOfVersion2 } from "./buyers.ts";
import { demoWallet } from "./wallets.ts";

const service = inject("sandbox");
// The first one has no owner: the others are agents of the sandbox.
const wallet = demoWallet(0);
const name = `stock-reader-${Date.now()}`;
const subject = `${name}-subject`;

const post = (body: object): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json" },
});
async function told<Body>(path: string, init: RequestInit = {}): Promise<Body> {
  const answer = await fetch(service.url + path, init);
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return JSON.parse(text) as Body;
}

/** The service's challenge, and the wallet's answer. */
async function proof(purpose: string, about?: string) {
  const asked = { agent_id: name, key: wallet.address, purpose, about };
  const { challenge } = await told<{ challenge: string }>("/soul/challenge", post(asked));
  return { challenge, signature: await wallet.signMessage({ message: challenge }) };
}

let proven: Awaited<ReturnType<typeof proof>>;
beforeAll(async () => {
  proven = await proof("prove");
  await told("/soul/register", post({ agent_id: name, ...proven }));
  await told("/soul/register", post({ agent_id: subject }));
});

test("siwe parses the text that a wallet signs, and verifies it", async () => {
  const message = new SiweMessage(proven.challenge);
  expect(message).toMatchObject({
    domain: new URL(service.url).host,
    address: wallet.address,
    uri: service.url,
    version: "1",
    chainId: 8453,
    resources: [`urn:agent:${name}`, "urn:purpose:prove"],
  });
  expect(message.prepareMessage()).toBe(proven.challenge);
  expect(await message.verify({ signature: proven.signature })).toMatchObject({ success: true });
});

type Attested = {
  attestation_id: string;
  attestation_uid: string;
  offchain: { signer: string; sig: SignedOffchainAttestation };
};
type Standing = {
  status: string;
  onchain_uid: string | null;
  attestation_uid: string;
  schema_uid: string;
};

describe("an attestation, by eas-sdk", () => {
  let attested: Attested;
  let eas: EAS;
  const SCHEMA = "uint64 from,uint64 to,string skill,uint32 weight_e4,bytes32 attestation_id";
  const standing = (wait_s: number) =>
    told<Standing>(`/v1/agent/soul/attestations/${attested.attestation_id}?wait_s=${wait_s}`);
  const said = (data: string) =>
    Object.fromEntries(new SchemaEncoder(SCHEMA).decodeData(data).map((one) => [one.name, one.value.value]));

  beforeAll(async () => {
    const buyer = fetchOfVersion2(wallet);
    const answer = await buyer(
      `${service.url}/v1/agent/soul/attest`,
      post({ subject, skill: "translation", weight: 2.5 }),
    );
    const text = await answer.text();
    expect(answer.status, text).toBe(201);
    attested = JSON.parse(text) as Attested;
    const { verifyingContract } = attested.offchain.sig.domain;
    eas = new EAS(verifyingContract);
    eas.connect(new JsonRpcProvider(service.rpc_url));
  });

  test("is signed, and nothing of it can be changed", () => {
    const { signer, sig } = attested.offchain;
    const { verifyingContract: address, version, chainId } = sig.domain;
    const reader = new Offchain(
      { address, version, chainId: BigInt(chainId) },
      OffchainAttestationVersion.Version2,
      eas,
    );
    expect(sig.uid).toBe(attested.attestation_uid);
    expect(reader.verifyOffchainAttestationSignature(signer, sig)).toBe(true);
    expect(reader.verifyOffchainAttestationSignature(wallet.address, sig)).toBe(false);
    const { message } = sig;
    for (const changed of [
      { time: BigInt(message.time) + 1n },
      { recipient: wallet.address },
      { salt: `0x${"1".repeat(64)}` },
    ])
      expect(
        reader.verifyOffchainAttestationSignature(signer, { ...sig, message: { ...message, ...changed } }),
      ).toBe(false);
    expect(said(message.data)).toMatchObject({ skill: "translation", weight_e4: 25_000n });
  });

  test("is on the chain within the wait with the same content, and is revoked there when its attestor revokes it", async () => {
    const { status, onchain_uid, schema_uid } = await standing(30);
    expect(status).toBe("anchored");
    const kept = await eas.getAttestation(onchain_uid!);
    expect([kept.schema, kept.revocable, kept.revocationTime]).toEqual([schema_uid, true, 0n]);
    expect(kept.attester.toLowerCase()).toBe(attested.offchain.signer);
    expect(kept.data).toBe(attested.offchain.sig.message.data);
    expect(said(kept.data).attestation_id).toBe(`0x${attested.attestation_id.padEnd(64, "0")}`);

    const back = new URLSearchParams(await proof("revoke", attested.attestation_id));
    await told(`/v1/agent/soul/attestations/${attested.attestation_id}?${back}`, { method: "DELETE" });
    expect((await standing(30)).status).toBe("revoked");
    expect(await eas.isAttestationRevoked(onchain_uid!)).toBe(true);
  });
});
