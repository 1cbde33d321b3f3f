/** Signed addresses of snapshots: anybody who has one may download that vintage, and nothing else, until it expires. */

import { createHmac, timingSafeEqual } from "node:crypto";
import { refuse } from "../../core/model/refusal.ts";
import { replayProblems } from "./problems.ts";

/** Seconds that a link is valid. */
export const LINK_SECONDS = 900;

/** The content of a link: the vintage, and the end of its validity in seconds of Unix time. */
export type SnapshotLink = { vintage: string; expires: number };

/** HMAC-SHA256 over "TS/SNAPSHOT-LINK/1", the vintage and the time, a line each; in hex. */
export const signLink = (secret: Uint8Array, { vintage, expires }: SnapshotLink): string =>
  createHmac("sha256", secret).update(`TS/SNAPSHOT-LINK/1\n${vintage}\n${expires}`).digest("hex");

/** Refuses a link whose signature is not ours (`forbidden`) or whose time is over (link-expired). `signature` is 64 hex digits. */
export function checkLink(secret: Uint8Array, link: SnapshotLink & { signature: string }, now: Date): void {
  const wanted = Buffer.from(signLink(secret, link), "hex");
  if (!timingSafeEqual(wanted, Buffer.from(link.signature, "hex")))
    refuse(
      "forbidden",
      "the service did not sign this link: use the url of replay/eu-trade-snapshot unchanged",
    );
  if (now.getTime() >= link.expires * 1000)
    refuse(
      replayProblems["link-expired"],
      `this link was valid until ${new Date(link.expires * 1000).toISOString()}: request a new one from replay/eu-trade-snapshot`,
    );
}
