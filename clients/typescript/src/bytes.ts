/** Bytes as text and back, by what every runtime has. */

const utf8 = new TextEncoder();

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => utf8.encode(text);

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Reads hex digits in pairs; anything else is an error. */
export function ofHex(text: string): Uint8Array<ArrayBuffer> {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error("it is no hex");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Reads base64 with its padding; a second spelling of the same bytes is an error. */
export function ofBase64(text: string): Uint8Array<ArrayBuffer> {
  const decoded = atob(text);
  if (btoa(decoded) !== text) throw new Error("it is no base64");
  return Uint8Array.from(decoded, (letter) => letter.charCodeAt(0));
}

export function joined(...parts: (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) => (typeof part === "string" ? bytesOf(part) : part));
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export const sha256 = async (...parts: (Uint8Array | string)[]): Promise<string> =>
  hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts))));
