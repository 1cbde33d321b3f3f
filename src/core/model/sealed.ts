/**
 * Sealed values: the log stores and hashes the ciphertext, so hashes survive an erasure. Only the vault has the
 * subjects' keys. For the format, see docs/personal-data.md.
 */
import { z } from "zod";
import { mailboxName, mailboxNames } from "../../standards/mail-address.ts";
import { madeId } from "./fields.ts";

/** RFC 4648, section 5, without padding. Without `bytes`, any length is valid. */
const base64url = (bytes?: number) =>
  z
    .string()
    .regex(
      bytes === undefined ? /^[A-Za-z0-9_-]+$/ : new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`),
    );

export const MOST_SEALED_BYTES = 65_536;

export const sealed = z
  .strictObject({
    subject_id: madeId,
    seal_id: madeId,
    iv: base64url(12),
    ct: base64url(),
    tag: base64url(16),
  })
  .describe("Personal data, sealed by AES-256-GCM (event-log.md, section 10).");

export type Sealed = z.infer<typeof sealed>;

export type Personal = { readonly [member: string]: Json };
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** Names a subject within its tenant: for two tenants, one mail address is two subjects. */
export type SubjectName = { tenant: string; kind: string; name: string };

/** A sealed value can be opened only in the event and field for which it was sealed. */
export type SealLocation = { tenant: string; stream_id: string; type: string };

export const sealLocation = (
  entity: { streamOf(id: string): string },
  target: { tenant: string; id: string },
  type: string,
): SealLocation => ({ tenant: target.tenant, stream_id: entity.streamOf(target.id), type });

/** The address is normalized, so that all its spellings are one subject of the tenant. */
export const mailSubject = (tenant: string, address: string): SubjectName => ({
  tenant,
  kind: "mail",
  name: mailboxName(address),
});

/** The subjects that a mail address may have been sealed for, today's first. */
export const mailSubjects = (tenant: string, address: string): SubjectName[] =>
  mailboxNames(address).map((name) => ({ tenant, kind: "mail", name }));

export function sealedIn(value: unknown): Sealed[] {
  const found: Sealed[] = [];
  collectSealed(value, found);
  return found;
}

/** Appends to one shared list, because this runs for every event of the log. */
function collectSealed(value: unknown, found: Sealed[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) for (const one of value) collectSealed(one, found);
  else if ("seal_id" in value && sealed.safeParse(value).success) found.push(value as Sealed);
  else for (const name of Object.keys(value)) collectSealed((value as Record<string, unknown>)[name], found);
}
