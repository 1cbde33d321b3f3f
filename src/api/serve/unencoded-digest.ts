/**
 * A digest of the body before any Content-Encoding. Source: draft-ietf-httpbis-unencoded-digest-05, with the syntax
 * of RFC 9530.
 */
export const unencodedDigest = (sha256: string) =>
  `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`;
