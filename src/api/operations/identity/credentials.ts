import { gzipSync } from "node:zlib";
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { refuse } from "../../../core/model/refusal.ts";
import {
  credentialOf,
  issuerOf,
  LIST_BITS,
  signCredential,
  statusBits,
  statusListOf,
  statusOfPurpose,
  statusPurposes,
  VALID_DAYS,
} from "../../../domain/identity/credential.ts";
import { agentRef } from "../../../domain/identity/fields.ts";
import { MOST_PASSPORTS } from "../../../domain/identity/passports.ts";
import { agentsProjection, numbersOfStatus } from "../../../projections/identity/agents.ts";
import { agentNamed } from "../../agents/agents.ts";
import { jwt, open, operation } from "../../declare/index.ts";

function signedBy(
  { settings, signer, clock }: App,
  make: (of: Parameters<typeof credentialOf>[1]) => object,
) {
  const { public_url } = settings;
  const { did: issuer, key } = issuerOf(public_url, signer);
  return Buffer.from(signCredential(make({ public_url, issuer, now: clock.now() }), key, signer));
}

const credential = operation({
  name: "soul_credential",
  route: "GET /soul/passport/{sx_id}/credential",
  summary: "A passport as a Verifiable Credential, signed",
  description:
    `A W3C Verifiable Credential 2.0 as a JWT (vc+jwt, EdDSA) by the service's key in /.well-known/did.json and jwks.json. It lists the agent's live keys ` +
    `as DIDs in alsoKnownAs and expires ${VALID_DAYS} days after its UTC day of issue. Its credentialStatus says where to check for revocation or suspension.`,
  access: [open()],
  input: z.object({ sx_id: agentRef.describe("The passport: SX#42, 42, or its agent_id") }),
  output: jwt("application/vc+jwt", "A compact JWS whose payload is the credential"),
  caching: () => "public, max-age=300",
  refuses: [404],
  example: { sx_id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await agentNamed(app, input.sx_id);
    return signedBy(app, (of) => credentialOf(agent, of));
  },
});

const LISTS = Math.floor(MOST_PASSPORTS / LIST_BITS) + 1;

const statusList = operation({
  name: "soul_credential_status",
  route: "GET /soul/credentials/status/{purpose}/{list}",
  summary: "The revoked or suspended passports: a list of bits",
  description: `A Bitstring Status List 1.0 as a credential (vc+jwt) of ${LIST_BITS} bits. A passport's list is its
number divided by ${LIST_BITS}, its bit the remainder. A credential names both in credentialStatus.`,
  access: [open()],
  input: z.object({
    purpose: z
      .enum(statusPurposes, `is one of ${statusPurposes.join(", ")}`)
      .describe("Meaning of a set bit: revocation is final, suspension can end"),
    list: z.coerce
      .number("is a whole number from 0")
      .int("is a whole number from 0")
      .min(0, "is a whole number from 0")
      .max(LISTS - 1, `is at most ${LISTS - 1}`)
      .describe("The list: a passport's number divided by 131072, rounded down"),
  }),
  output: jwt("application/vc+jwt", "A compact JWS whose payload is the list's credential"),
  caching: () => "public, max-age=60",
  example: { purpose: "revocation", list: 0 },
  handle: async ({ input: { purpose, list }, app }) => {
    // If the read model lags, the list would show revoked passports as valid.
    if (!(await app.caughtUp(agentsProjection)))
      refuse("unavailable", "the list lags behind the log; retry in a few seconds", { retry_after_s: 2 });
    const from = list * LIST_BITS;
    const of = { status: statusOfPurpose[purpose], from, to: from + LIST_BITS - 1 };
    const compressed = gzipSync(statusBits(list, await numbersOfStatus(app.pool, of)));
    return signedBy(app, (made) => statusListOf({ purpose, list, compressed }, made));
  },
});

export const credentialOperations = [credential, statusList];
