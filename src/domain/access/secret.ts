/** The form of a key's secret: `sk_live_` or `sk_test_` and 256 random bits in base64url. */
import { hash } from "node:crypto";

const FORM = /^sk_(live|test)_[A-Za-z0-9_-]{43}$/;

export type Space = "live" | "test";

export const makeSecret = (space: Space, random: Uint8Array): string =>
  `sk_${space}_${Buffer.from(random).toString("base64url")}`;

/** The space a well-formed secret belongs to; undefined when it is not a secret of ours at all. */
export const spaceOf = (secret: string): Space | undefined => FORM.exec(secret)?.[1] as Space | undefined;

export const digestOf = (secret: string): Buffer => hash("sha256", secret, "buffer");
