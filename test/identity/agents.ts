/** Test agents: keys of both kinds, and calls to a service in their name. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { JWK } from "jose";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { didOf } from "../../src/domain/identity/public-key.ts";

/** A key that signs any text in the form of its kind. */
export type TestKey = {
  kind: "evm" | "ed25519";
  /** Its name in a call. */
  name: string;
  sign(text: string): Promise<string>;
};

export function evmKey(): TestKey & { kind: "evm" } {
  const account = privateKeyToAccount(generatePrivateKey());
  return { kind: "evm", name: account.address, sign: (message) => account.signMessage({ message }) };
}

const encoded = (value: string | Buffer) => Buffer.from(value).toString("base64url");

export function ed25519Key(): TestKey & {
  jwt(text: string, header: object): string;
  x: string;
  private_jwk(): JWK;
} {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const { x } = publicKey.export({ format: "jwk" });
  const jwt = (text: string, header: object) => {
    const signing = `${encoded(JSON.stringify(header))}.${encoded(text)}`;
    return `${signing}.${encoded(sign(null, Buffer.from(signing), privateKey))}`;
  };
  return {
    kind: "ed25519",
    name: didOf({ kind: "ed25519", public: x! }),
    x: x!,
    private_jwk: () => privateKey.export({ format: "jwk" }) as JWK,
    jwt,
    sign: async (text) => jwt(text, { alg: "EdDSA", typ: "JWT" }),
  };
}

export type Answered = {
  status: number;
  body: { errors?: { path: string; message: string }[]; [member: string]: unknown };
};

/** Each call has its own address, set by the proxy header, so address limits do not end a test. */
export const PROXIED = { TRUST_PROXY: "1" };

const anywhere = () => {
  const [a, b, c] = randomBytes(3);
  return `10.${a}.${b}.${c}`;
};

/** Calls to the service at `url`. */
export function caller(url: string) {
  async function call(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answered> {
    const response = await fetch(url + path, {
      method,
      headers: {
        "X-Forwarded-For": anywhere(),
        ...headers,
        ...(body && { "Content-Type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answered["body"] };
  }
  const get = (path: string, headers?: Record<string, string>) => call("GET", path, undefined, headers);
  const post = (path: string, body: object, headers?: Record<string, string>) =>
    call("POST", path, body, headers);

  /** A challenge, signed by the key. */
  async function proof(
    key: TestKey,
    agent_id: string,
    purpose = "prove",
    about?: string,
  ): Promise<{ challenge: string; signature: string }> {
    const request = { agent_id, key: key.name, purpose, ...(about !== undefined && { about }) };
    const { body } = await post("/soul/challenge", request);
    const challenge = String(body.challenge);
    return { challenge, signature: await key.sign(challenge) };
  }
  return { call, get, post, proof };
}

/** The service's kid of a key. */
export async function kidOf({ post }: ReturnType<typeof caller>, key: TestKey): Promise<string> {
  const { body } = await post("/soul/challenge", { agent_id: "whoever", key: key.name, purpose: "prove" });
  return String(body.kid);
}

/** A signed delegation, made from the operation's description alone; returns its delegation_id. */
export async function delegation(
  api: ReturnType<typeof caller>,
  of: {
    by: TestKey;
    from: string;
    to: string;
    scopes: string[];
    expires_in_s: number;
    max_spend_usdc?: string;
  },
): Promise<string> {
  const { by, from, to, scopes, expires_in_s, max_spend_usdc } = of;
  const text = JSON.stringify({ agent_id: from, expires_in_s, max_spend_usdc, scopes, to });
  const about = createHash("sha256").update(text).digest("hex");
  const proof = await api.proof(by, from, "delegate", about);
  const request = { to, scopes, expires_in_s, max_spend_usdc, ...proof };
  const made = await api.post(`/soul/${from}/delegations`, request);
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  return String(made.body.delegation_id);
}
