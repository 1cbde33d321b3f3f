/** Erasure of a person: whoever they are a customer of asks for it, and for nobody else's. */
import { z } from "zod";
import { madeId, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { mailSubject } from "../../../core/model/sealed.ts";
import { eraseSubject } from "../../../reactors/subjects/erasure.ts";
import { json, operation, owner } from "../../declare/index.ts";
import { commandOf } from "../../serve/call.ts";

/** Longer ones no mail server takes (RFC 5321, section 4.5.3.1.3). */
const MOST_CHARACTERS = 254;

const mail = z
  .string("is a mail address such as anna@example.org")
  .max(MOST_CHARACTERS, `is at most ${MOST_CHARACTERS} characters`)
  .regex(/^\s*[^\s@]+@[^\s@]+\s*$/, "is a mail address such as anna@example.org");

const eraseCustomer = operation({
  name: "commerce_erase",
  route: "POST /v1/agent/commerce/erase",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Erase a customer",
  description:
    "Destroys the key that everything personal about one of your customers is sealed under: names, addresses and notes in your orders " +
    "and quotes read `erased` from then on, in every answer and for good. What was ordered and paid stays, and every hash of the log " +
    "still holds. Answers that were kept for repetition and tell of the customer are deleted. Copies of the vault of keys end by " +
    "`final_after`. Customers are known by their mail address, to you alone.",
  access: [owner("order")],
  secrets: ["email"],
  input: z.object({
    email: mail.describe("The customer's mail address; upper and lower case are the same"),
  }),
  output: json(
    z.object({
      data: z.object({
        subject_id: madeId.describe(
          "What the customer is called in the log: the events are in the stream `subject-<subject_id>`",
        ),
        status: z
          .enum(["erased", "requested"])
          .describe("`requested`: the key is destroyed, and the service has still to record the end"),
        sealed_events: z
          .int()
          .nullable()
          .describe("Events that hold something of the customer, which nobody can open any more"),
        erased_at: time.nullable(),
        final_after: time.nullable().describe("When the last backup ends in which the key may still stand"),
      }),
      meta: z.object({}),
    }),
  ),
  refuses: [404],
  example: { email: "anna@example.org" },
  handle: async ({ input: { email }, app, caller, request_id, names }) => {
    const { meta } = commandOf({ caller, request_id, operation: { name: "commerce_erase" } });
    const erased = await eraseSubject(app, mailSubject(caller.tenant, email), { by: "owner", meta });
    if (!erased)
      return refuse(
        "not_found",
        "nothing of yours is sealed for a customer of this mail address: look for typing errors; one who was erased is not known any more",
      );
    const { request, status, event } = erased;
    if (event) names({ event_id: event.event_id, position: event.position });
    const done = status === "erased" ? erased.erasure : undefined;
    return {
      data: {
        subject_id: request.subject_id,
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
