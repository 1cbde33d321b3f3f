export type OkpKey = { kty: "OKP"; crv: "Ed25519"; x: string };

export type Signer = {
  readonly kid: string;
  readonly public_key: OkpKey;
  sign(bytes: Uint8Array): Uint8Array;
};
