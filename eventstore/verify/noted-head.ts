/** An auditor's note of a position and its log hash, or a prefix of it (a stream: version and event hash). */
export type NotedHead = { position: number; hash_prefix: string; epoch?: string };

const PLAIN = /^(\d{1,16}):([0-9a-f]{8,64})$/;
const CURSOR = /^v1\.([^.]+)\.(\d{1,16})\.([0-9a-f]{8,64})$/;

/** `position:log_hash` (at least 8 hex digits) or a cursor of the change feed; throws on anything else. */
export function parseNotedHead(text: string): NotedHead {
  const plain = PLAIN.exec(text);
  if (plain) return { position: Number(plain[1]), hash_prefix: plain[2]! };
  const cursor = CURSOR.exec(text);
  if (cursor) return { epoch: cursor[1]!, position: Number(cursor[2]), hash_prefix: cursor[3]! };
  throw new Error(
    `head ${JSON.stringify(text)} is neither position:log_hash in hex nor a feed cursor v1.epoch.position.hash`,
  );
}
