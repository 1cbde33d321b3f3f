/**
 * Personal data in events: sealed under a key of the one whom it is about, which lies in the vault and nowhere else. The log keeps
 * and hashes what is sealed; without the key it says nothing any more, and every hash still holds. docs/personal-data.md has the form.
 */
import { z } from "zod";
import { madeId } from "./fields.ts";

/** So many bytes in base64url without padding (RFC 4648, section 5); any number where none is given. */
const base64url = (bytes?: number) =>
  z
    .string()
    .regex(
      bytes === undefined ? /^[A-Za-z0-9_-]+$/ : new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`),
    );

/** Whoever sends more has something else in mind than a person's name and address. */
export const MOST_SEALED_BYTES = 65_536;

/** A sealed value, as a member of an event's payload. */
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

/** What is sealed: a JSON object. */
export type Personal = { readonly [member: string]: Json };
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** Whom personal data is about: a name within a kind, for one tenant; another tenant's customer of the same mail is another subject. */
export type SubjectName = { tenant: string; kind: string; name: string };

/** Where in the log a sealed value stands. Anywhere else it does not open. */
export type SealPlace = { tenant: string; stream_id: string; type: string };

/** The place of an event of this type in an entity's stream. */
export const placeIn = (
  entity: { streamOf(id: string): string },
  target: { tenant: string; id: string },
  type: string,
): SealPlace => ({ tenant: target.tenant, stream_id: entity.streamOf(target.id), type });

/** Somebody by their mail address: however it is written, it is one subject of the tenant. */
export const mailSubject = (tenant: string, address: string): SubjectName => ({
  tenant,
  kind: "mail",
  name: address.trim().normalize("NFC").toLowerCase(),
});

/** Every sealed value that stands in a payload, however deep, in the order of members. */
export function sealedIn(value: unknown): Sealed[] {
  const found: Sealed[] = [];
  collectSealed(value, found);
  return found;
}

/** Into one list: this is asked of every event of the log. */
function collectSealed(value: unknown, found: Sealed[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) for (const one of value) collectSealed(one, found);
  else if ("seal_id" in value && sealed.safeParse(value).success) found.push(value as Sealed);
  else for (const name of Object.keys(value)) collectSealed((value as Record<string, unknown>)[name], found);
}
