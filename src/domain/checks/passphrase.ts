/** Passphrases of checks, stored as scrypt hashes (RFC 7914): a guess costs a quarter of a second and 32 MB. */

import { scrypt, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { madeId, sha256 } from "../../core/model/fields.ts";
import { coreProblems } from "../../core/model/problem.ts";
import { refuse } from "../../core/model/refusal.ts";

/** A hash in hex, its salt, and what it cost: N = 2^log2_n, r and p of RFC 7914. */
export const passphraseHash = z.strictObject({
  salt: madeId,
  hash: sha256,
  log2_n: z.int(),
  r: z.int(),
  p: z.int(),
});
export type PassphraseHash = z.infer<typeof passphraseHash>;

type Cost = Pick<PassphraseHash, "log2_n" | "r" | "p">;

/** Source: OWASP's Password Storage Cheat Sheet. */
const COST: Cost = { log2_n: 15, r: 8, p: 3 };

export const SALT_BYTES = 16;

/** The stored hash of a passphrase; `salt` has SALT_BYTES random bytes. */
export async function hashPassphrase(text: string, salt: Uint8Array): Promise<PassphraseHash> {
  const hash = await derived(text, Buffer.from(salt), COST);
  return { salt: Buffer.from(salt).toString("hex"), hash: hash.toString("hex"), ...COST };
}

/** Compares a text with the stored passphrase; takes the same time for every text. */
export async function isPassphrase(text: string, stored: PassphraseHash): Promise<boolean> {
  const hash = await derived(text, Buffer.from(stored.salt, "hex"), stored);
  return timingSafeEqual(hash, Buffer.from(stored.hash, "hex"));
}

/** NFC makes equal letters from different keyboards the same passphrase (RFC 8265). */
const derived = (text: string, salt: Buffer, { log2_n, r, p }: Cost) =>
  new Promise<Buffer>((done, fail) => {
    const N = 2 ** log2_n;
    const cost = { N, r, p, maxmem: 256 * N * r };
    scrypt(text.normalize("NFC"), salt, 32, cost, (error, hash) => (error ? fail(error) : done(hash)));
  });

/** More at once would occupy the threads that read files. */
const AT_ONCE = 2;
/** More would wait longer than their callers do. */
export const MOST_WAITING = 50;
let under_way = 0;
const waiting: (() => void)[] = [];

/** Queues the hashing of passphrases; refuses where too many wait. */
export async function queued<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= MOST_WAITING)
    refuse(coreProblems.busy, "too many passphrases wait to be checked; try again", {
      retry_after_s: 5,
    });
  if (under_way >= AT_ONCE) await new Promise<void>((go) => waiting.push(go));
  else under_way++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else under_way--;
  }
}
