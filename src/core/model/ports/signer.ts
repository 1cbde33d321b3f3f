/** A public key of Ed25519 as a JWK (RFC 8037). */
export type OkpKey = { kty: "OKP"; crv: "Ed25519"; x: string };

/** The service's own Ed25519 key. `kid` is its thumbprint (RFC 7638); a signature has 64 bytes. */
export type Signer = {
  readonly kid: string;
  readonly public_key: OkpKey;
  sign(bytes: Uint8Array): Uint8Array;
};
