/** The bytes that an ML-DSA-44 cosignature signs (c2sp.org/tlog-cosignature): they name the signer and omit extensions. */
import { decodeBase64 } from "./base64.ts";
import { HASH_BYTES, isCount } from "./tree.ts";

const LABEL = Buffer.from("subtree/v1\n\0");
/** A name's length has one byte. */
const NAME_BYTES = 255;

/** Undefined if the text is not a checkpoint, or if a name is too long. */
export function subtreeMessage(cosigner: string, timestamp: bigint, text: string): Buffer | undefined {
  const [origin = "", size = "", base64 = ""] = text.split("\n");
  const root = decodeBase64(base64);
  const isSize = /^(0|[1-9]\d{0,15})$/.test(size) && isCount(Number(size));
  const names = [cosigner, origin].map((name) => Buffer.from(name));
  if (!isSize || root?.length !== HASH_BYTES) return undefined;
  if (names.some(({ length }) => length === 0 || length > NAME_BYTES)) return undefined;
  const [signer, log] = names.map((name) => Buffer.concat([Buffer.of(name.length), name])) as [
    Buffer,
    Buffer,
  ];
  return Buffer.concat([LABEL, signer, u64(timestamp), log, u64(0n), u64(BigInt(size)), root]);
}

function u64(number: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(number);
  return bytes;
}
