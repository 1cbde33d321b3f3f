/** docs/vectors/sealed.json, which anybody can open with AES-256-GCM alone. */
import { createDecipheriv } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openValue } from "../../src/adapters/subject-keys.ts";
import { sealed } from "../../src/core/model/sealed.ts";

type Vector = Record<"origin" | "tenant" | "stream_id" | "type" | "key" | "aad" | "padded", string> & {
  value: object;
  sealed: { subject_id: string; seal_id: string; iv: string; ct: string; tag: string };
};

test("the vector opens, by our own code and by the cipher alone", async () => {
  const vector = JSON.parse(await readFile("docs/vectors/sealed.json", "utf8")) as Vector;
  const { origin, tenant, stream_id, type } = vector;
  const key = Buffer.from(vector.key, "hex");
  const one = sealed.parse(vector.sealed);
  expect(openValue({ origin, place: { tenant, stream_id, type } }, key, one)).toEqual(vector.value);
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(one.iv, "base64url"))
    .setAAD(Buffer.from(vector.aad, "hex"))
    .setAuthTag(Buffer.from(one.tag, "base64url"));
  const text = decipher.update(Buffer.from(one.ct, "base64url")).toString() + decipher.final().toString();
  expect(text).toBe(vector.padded);
});
