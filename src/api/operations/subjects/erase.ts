/** Erases a person's data, at the request of the tenant whose customer the person is. */
import { z } from "zod";
import { madeId, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { mailSubjects } from "../../../core/model/sealed.ts";
import { eraseSubjects } from "../../../reactors/subjects/erasure.ts";
import { mailAddress } from "../../../standards/mail-address.ts";
import { json, operation, owner } from "../../declare/index.ts";
import { commandOf } from "../../serve/call.ts";

const eraseCustomer = operation({
  name: "commerce_erase",
  route: "POST /v1/agent/commerce/erase",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Erase the personal data of a customer",
  description:
    "Destroys the key that seals one customer's personal data, for good. Names, addresses and notes in your orders " +
    "and quotes then read `erased` in every answer. Orders and payments stay, and every hash of the log " +
    "still matches. Cached answers about the customer are deleted. Backups of the key vault expire by " +
    "`final_after`. You name the customer by mail address.",
  access: [owner("order")],
  secrets: ["email"],
  input: z.object({
    email: mailAddress.describe("The customer's mail address, in any spelling"),
  }),
  output: json(
    z.object({
      data: z.object({
        subject_id: madeId.describe("The customer's id in the log: the stream is `subject-<subject_id>`"),
        status: z
          .enum(["erased", "requested"])
          .describe("`requested`: the key is destroyed, but the service has not recorded the completion yet"),
        sealed_events: z
          .int()
          .nullable()
          .describe("Events with the customer's data, which can no longer be opened"),
        erased_at: time.nullable(),
        final_after: time.nullable().describe("When the last backup that may have the key expires"),
      }),
      meta: z.object({}),
    }),
  ),
  refuses: [404],
  example: { email: "anna@example.org" },
  handle: async ({ input: { email }, app, caller, request, unit }) => {
    const { meta } = commandOf({ caller, request_id: request.id, operation: { name: "commerce_erase" } });
    const erased = await eraseSubjects(app, mailSubjects(caller.tenant, email), { by: "owner", meta });
    if (!erased)
      return refuse(
        "not_found",
        "you have no sealed data for this mail address: check the spelling; an erased customer is unknown too",
      );
    const { request: requested, status, event } = erased;
    if (event) unit.names({ event_id: event.event_id, position: event.position });
    const done = status === "erased" ? erased.erasure : undefined;
    return {
      data: {
        subject_id: requested.subject_id,
        status,
        sealed_events: done?.sealed_events ?? null,
        erased_at: done?.erased_at ?? null,
        final_after: done?.final_after ?? null,
      },
      meta: {},
    };
  },
});

export const subjectOperations = [eraseCustomer];
