/** The facts that a signed text names: those of a challenge, or of a call by SIGN-IN-WITH-X. */
import { parseSiweMessage } from "viem/siwe";
import { PROOF_SECONDS } from "../domain/access/wallet-proof.ts";
import { CHALLENGE_SECONDS, readChallenge } from "../domain/identity/challenge.ts";

export type ActText = {
  /** The host that the text is made out to. */
  host: string;
  kid: string | undefined;
  /** Unix seconds between which the service takes it. */
  from: number;
  until: number;
} & (
  | { form: "challenge"; agent: string | undefined; purpose: string | undefined; about: string | null }
  | { form: "call"; path: string; resources: readonly string[] }
);

const CALL = /^Call [A-Z]+ (\/\S*) as the owner of what this wallet caused\.$/;
/** Clocks of the signer and of the service, and the time until the commit. */
const EARLY_S = 30;
const LATE_S = 60;

/** Undefined: neither form. */
export function readActText(text: string): ActText | undefined {
  const call = readCall(text);
  if (call) return call;
  const read = readChallenge(text);
  if (!read) return undefined;
  const { agent, purpose, about, key, issued_at, fields } = read;
  const host = read.form === "siwe" ? String(fields.domain) : hostOf(String(fields.aud));
  const until = issued_at + CHALLENGE_SECONDS + LATE_S;
  return { form: "challenge", host, kid: key?.kid, agent, purpose, about, from: issued_at - EARLY_S, until };
}

function readCall(text: string): ActText | undefined {
  const { statement = "", address, domain = "", issuedAt, resources = [] } = parseSiweMessage(text);
  const path = CALL.exec(statement)?.[1];
  if (path === undefined || !address || !issuedAt) return undefined;
  const issued_at = issuedAt.getTime() / 1_000;
  const bounds = { from: issued_at - EARLY_S, until: issued_at + PROOF_SECONDS + LATE_S };
  return { form: "call", host: domain, kid: address.toLowerCase(), path, resources, ...bounds };
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
