import { randomFillSync } from "node:crypto";

const POOL_SIZE = 4096;
const pool = Buffer.allocUnsafe(POOL_SIZE);
let used = POOL_SIZE;

/** Up to 4,096 bytes. Pooled: a system call each would cost more than the append's share of the database. */
export function randomText(bytes: number, encoding: "hex" | "base64url"): string {
  if (used + bytes > POOL_SIZE) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString(encoding, used - bytes, used);
}
