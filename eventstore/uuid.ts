import { randomText } from "./random.ts";

/** RFC 9562: 48 bits of Unix milliseconds, then 74 random bits; new ones extend the index's end. */
export function uuidv7(): string {
  const random = randomText(10, "hex");
  const time = Date.now().toString(16).padStart(12, "0");
  const variant = (8 | (Number.parseInt(random[3]!, 16) & 3)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}
