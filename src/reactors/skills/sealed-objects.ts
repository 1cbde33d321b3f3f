/** Stored answers of steps and results: sealed in Objects under their execution's key, so that a run can be erased. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { canonicalText } from "../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../eventstore/types.ts";
import { digestOf, MOST_OBJECT_BYTES, objectName } from "../../core/model/objects.ts";
import type { Objects } from "../../core/model/ports/objects.ts";
import type { Subjects } from "../../core/model/ports/subjects.ts";
import { refuse } from "../../core/model/refusal.ts";
import { type Sealed, type SubjectName, sealLocation } from "../../core/model/sealed.ts";
import * as executions from "../../domain/skills/execution.ts";
import type { ExecutionId } from "./steps.ts";

/** Characters of base64url in one sealed value. */
const PART = 40_000;

/** Compresses JSON text before it is sealed, off the main thread. */
export const zip = (text: string): Promise<Buffer> => promisify(gzip)(text, { level: 1 });

/** Older executions stored plain JSON, which begins with a brace. */
const isZipped = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b;

const textIn = async (bytes: Buffer): Promise<string> =>
  (isZipped(bytes) ? await promisify(gunzip)(bytes) : bytes).toString();

/** The subject whose key seals an execution's objects: its own. */
export const subjectOf = ({ tenant, execution_id }: ExecutionId): SubjectName => ({
  tenant,
  kind: "execution",
  name: execution_id,
});

/** RFC 8785. */
export const canonicalOf = (value: object): string => canonicalText(value as JsonObject, "value");

const placeOf = ({ tenant, execution_id }: ExecutionId) =>
  sealLocation(executions, executions.targetOf(tenant, execution_id), "SkillStepDone");

export const objectOf = (execution_id: string, sha256: string): string =>
  objectName("execution", execution_id, sha256);

/** The digest of a stored object, and the subject of its key. */
export type StoredObject = { object_sha256: string; subject_id: string };

/** Seals zipped texts, all by one question, and puts them in one statement. `is_new`: the execution has no key yet. */
export async function storeSealed(
  { subjects, objects }: { subjects: Pick<Subjects, "seal">; objects: Pick<Objects, "putAll"> },
  named: ExecutionId,
  texts: readonly Promise<Buffer>[],
  { is_new = false } = {},
): Promise<StoredObject[]> {
  const place = placeOf(named);
  const zipped = await Promise.all(texts);
  const parts = zipped.map(
    (bytes) => bytes.toString("base64url").match(new RegExp(`.{1,${PART}}`, "g")) ?? [],
  );
  const page = parts.flat().map((part) => ({ subject: subjectOf(named), place, value: { part }, is_new }));
  const sealed = await subjects.seal(page);
  let from = 0;
  const kept = parts.map(({ length }) => {
    const own = sealed.slice(from, from + length);
    from += length;
    const bytes = Buffer.from(JSON.stringify(own));
    if (bytes.length > MOST_OBJECT_BYTES)
      refuse(
        "unprocessable",
        "the answer of a step is too large to be stored; request fewer years, or one product",
      );
    return { bytes, object_sha256: digestOf(bytes), subject_id: own[0]!.subject_id };
  });
  await objects.putAll(
    kept.map(({ bytes, object_sha256 }) => ({ name: objectOf(named.execution_id, object_sha256), bytes })),
  );
  return kept;
}

/** The object under a digest; undefined once it is erased, or expired. */
export async function readSealed(
  { subjects, objects }: { subjects: Pick<Subjects, "open">; objects: Pick<Objects, "get"> },
  named: ExecutionId,
  sha256: string,
): Promise<object | undefined> {
  const bytes = await objects.get(objectOf(named.execution_id, sha256));
  if (!bytes) return undefined;
  const place = placeOf(named);
  const sealed = JSON.parse(bytes.toString()) as Sealed[];
  const opened = await subjects.open(sealed.map((one) => ({ sealed: one, place })));
  const parts = opened.map((one) => (one.erased ? undefined : String(one.value.part)));
  if (parts.some((part) => part === undefined)) return undefined;
  return JSON.parse(await textIn(Buffer.from(parts.join(""), "base64url"))) as object;
}
