#!/usr/bin/env node
/**
 * Verifies receipts of the compute market, written from docs/compute.md with what Node brings along: no package, and nothing of the service.
 *
 *     node receipts.mjs < receipts.json
 *
 * reads { "keys": the keys of the workers' passports, "tasks": [{ task_id, task_type, input_data, result, receipt }] }, asks nobody anything,
 * prints what is wrong by task_id, and ends with 1 if anything is.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { text } from "node:stream/consumers";

/** RFC 8785: keys in the order of their UTF-16 units, numbers and strings as JSON.stringify writes them. */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
};
const digest = (value) => createHash("sha256").update(canonical(value)).digest("hex");
const decoded = (part) => Buffer.from(part, "base64url");

const { keys, tasks } = JSON.parse(await text(process.stdin));
const publicOf = new Map(keys.map((key) => [key.kid, key.public]));

/** What is wrong with a task's receipt; undefined when nothing is. */
function wrongWith({ task_id, task_type, input_data, result, receipt }) {
  const x = publicOf.get(receipt.kid);
  if (x === undefined) return "its key is in no passport";
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const [header, payload, signature] = receipt.signature.split(".");
  if (!verify(null, Buffer.from(`${header}.${payload}`), key, decoded(signature)))
    return "its signature is not of that key";
  const said = JSON.parse(decoded(payload));
  const expected = {
    v: 1,
    task_id,
    kind: task_type,
    input_sha256: digest(input_data),
    output_sha256: digest(result),
    engine_sha256: receipt.engine_sha256,
    started_at: receipt.started_at,
    ended_at: receipt.ended_at,
  };
  for (const [name, value] of Object.entries(expected))
    if (said[name] !== value) return `${name} is ${said[name]} in the receipt and ${value} in the task`;
  return undefined;
}

const wrong = tasks.map((task) => [task.task_id, wrongWith(task)]).filter(([, why]) => why !== undefined);
for (const [task_id, why] of wrong) console.log(`${task_id}: ${why}`);
console.log(`${tasks.length - wrong.length} of ${tasks.length} receipts verified`);
process.exitCode = wrong.length > 0 ? 1 : 0;
