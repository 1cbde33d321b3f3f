/** Base64 (RFC 4648, section 4) with one spelling per value: padded, no stray bits. Undefined for any other text. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
