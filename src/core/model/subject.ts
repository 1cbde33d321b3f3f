/**
 * A subject gets a stream only when its erasure is requested. After that, nothing more is sealed for it, and the
 * request is final.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "./entity.ts";
import { madeId, time } from "./fields.ts";
import { refuse } from "./refusal.ts";

export const events = {
  SubjectErasureRequested: {
    means: "Somebody requested the erasure of a person's data.",
    1: z.strictObject({
      subject_id: madeId,
      by: z.enum(["owner", "operator"]).describe("The requester: the subject's tenant, or the operator."),
      requested_at: time,
    }),
  },
  SubjectErased: {
    means: "The key to a person's data was destroyed, so nobody can read the data any more.",
    1: z
      .strictObject({
        subject_id: madeId,
        sealed_events: z
          .int()
          .nonnegative()
          .describe("Events of this log that hold something sealed for the subject."),
        erased_at: time.describe("When the key was destroyed in the vault."),
        final_after: time.describe(
          "The end of the last copy of the vault that may still have the key; until then a copy could open the sealed values.",
        ),
      })
      .describe("The subject's key is destroyed: nothing that is sealed under it opens any more."),
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type SubjectEvent = EventOf<typeof events>;

export type SubjectState =
  | { status: "requested"; request: Data<"SubjectErasureRequested"> }
  | { status: "erased"; request: Data<"SubjectErasureRequested">; erasure: Data<"SubjectErased"> }
  | undefined;

export const prefix = "subject-";

export const streamOf = (subject_id: string) => prefix + subject_id;

export const initialState = (): SubjectState => undefined;

export function evolve(state: SubjectState, event: SubjectEvent): SubjectState {
  switch (event.type) {
    case "SubjectErasureRequested":
      return state ?? { status: "requested", request: event.data };
    case "SubjectErased":
      return state?.status === "requested" ? { ...state, status: "erased", erasure: event.data } : state;
  }
}

export const requestErasure =
  (request: Data<"SubjectErasureRequested">) =>
  (state: SubjectState): SubjectEvent[] =>
    state ? [] : [{ type: "SubjectErasureRequested", data: request }];

export const concludeErasure =
  (erasure: Data<"SubjectErased">) =>
  (state: SubjectState): SubjectEvent[] => {
    if (!state) return refuse("conflict", "no erasure of this subject was requested");
    return state.status === "erased" ? [] : [{ type: "SubjectErased", data: erasure }];
  };
