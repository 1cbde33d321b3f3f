/**
 * Unencoded-Digest of a body whose SHA-256 is given in hex: it holds whatever Content-Encoding the body travels in.
 * Source: draft-ietf-httpbis-unencoded-digest-05, with the syntax of RFC 9530.
 */
export const unencodedDigest = (sha256: string) =>
  `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`;
