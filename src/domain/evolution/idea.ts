/** An idea to improve the service, with a draft of a file: proposed for a price, checked as a text, and never run. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256, time } from "../../core/model/fields.ts";
import { objectName } from "../../core/model/objects.ts";
import { refuse } from "../../core/model/refusal.ts";

export const MOST_DRAFT_BYTES = 100 * 1024;

export const ideaId = z
  .int("is an idea_id: a whole number")
  .min(1, "is at least 1")
  .max(Number.MAX_SAFE_INTEGER, "is an idea_id that evolution_propose returned");

export const check = z.strictObject({
  name: z.enum(["path", "encoding", "size", "secrets", "syntax", "imports", "lines", "likeness"]),
  passed: z.boolean().describe("true: the draft passed this check."),
  detail: z.string().describe("Never quotes the draft."),
});
export type Check = z.infer<typeof check>;

const proposed = z.strictObject({
  idea_id: ideaId,
  text_sha256: sha256.describe("SHA-256 of title and description, which are stored elsewhere."),
  target_file: z.string(),
  draft_sha256: sha256,
  draft_bytes: z.int().positive(),
  proposed_at: time,
});

const decision = z.strictObject({ by: z.literal("operator"), reason: z.string().min(1).max(500), at: time });

export const events = {
  ImprovementProposed: {
    means: "Somebody proposed a change of this software, with or without a draft of it.",
    1: proposed,
    2: proposed.extend({
      target_file: z.string().nullable().describe("null: the idea names no file."),
      draft_sha256: sha256.nullable().describe("null: there is no draft."),
      draft_bytes: z.int().positive().nullable().describe("null: there is no draft."),
    }),
    upcast: { 1: (old: object) => ({ ...old }) },
  },
  ImprovementChecked: {
    means: "The draft of a proposed change was checked.",
    1: z.strictObject({
      checks_version: z.int().positive(),
      checks: z.array(check),
      verdict: z.enum(["passed", "failed"]),
      checked_at: time,
    }),
  },
  ImprovementAccepted: { means: "The operator wants a proposed change.", 1: decision },
  ImprovementDeclined: { means: "The operator does not want a proposed change.", 1: decision },
  ImprovementLanded: {
    means: "A proposed change became a commit of this software.",
    1: z.strictObject({ commit: z.string().regex(/^[0-9a-f]{7,64}$/), at: time }),
  },
};

export type Proposed = DataOf<typeof events, "ImprovementProposed">;
export type Checked = DataOf<typeof events, "ImprovementChecked">;
export type IdeaEvent = EventOf<typeof events>;
export const statuses = ["proposed", "passed", "failed", "accepted", "declined", "landed"] as const;
export type Idea = {
  status: (typeof statuses)[number];
  facts: Proposed;
  checked: Checked | undefined;
  reason: string | undefined;
  commit: string | undefined;
};
export type IdeaState = Idea | undefined;

export const prefix = "idea-";
export const streamOf = (id: string) => prefix + id;
export const targetOf = (tenant: string, idea_id: number) => ({ tenant, id: String(idea_id) });
export const initialState = (): IdeaState => undefined;

export function evolve(state: IdeaState, event: IdeaEvent): IdeaState {
  if (event.type === "ImprovementProposed")
    return {
      status: "proposed",
      facts: event.data,
      checked: undefined,
      reason: undefined,
      commit: undefined,
    };
  const idea = state!;
  switch (event.type) {
    case "ImprovementChecked":
      return { ...idea, status: event.data.verdict, checked: event.data };
    case "ImprovementAccepted":
      return { ...idea, status: "accepted", reason: event.data.reason };
    case "ImprovementDeclined":
      return { ...idea, status: "declined", reason: event.data.reason };
    case "ImprovementLanded":
      return { ...idea, status: "landed", commit: event.data.commit };
  }
}

export const existingIdea = (state: IdeaState): Idea => state ?? refuse("not_found", "there is no such idea");

export const propose =
  (data: Proposed) =>
  (state: IdeaState): IdeaEvent[] =>
    state ? [] : [{ type: "ImprovementProposed", data }];

/**
 * The first verdict of a version of the checks counts, also against those of earlier versions: during an update,
 * processes of both versions run. A decided idea is not checked again.
 */
export const judge =
  (data: Checked) =>
  (state: IdeaState): IdeaEvent[] => {
    const { status, checked } = existingIdea(state);
    const isDecided = status === "accepted" || status === "declined" || status === "landed";
    return isDecided || (checked && checked.checks_version >= data.checks_version)
      ? []
      : [{ type: "ImprovementChecked", data }];
  };

type OperatorDecision = DataOf<typeof events, "ImprovementAccepted">;

/** The facts of an idea that the checks can read. */
export type Drafted = Proposed & { target_file: string; draft_sha256: string };

export const isDrafted = (facts: Proposed): facts is Drafted =>
  facts.target_file !== null && facts.draft_sha256 !== null;

/**
 * A draft is accepted only if it passed the checks of this version or a later one: earlier versions may have missed a fault. An idea
 * that cannot be checked is accepted as it is.
 */
export const accept =
  (data: OperatorDecision, checks_version: number) =>
  (state: IdeaState): IdeaEvent[] => {
    const { status, checked, facts } = existingIdea(state);
    if (status === "accepted") return [];
    if (status === "proposed" && !isDrafted(facts)) return [{ type: "ImprovementAccepted", data }];
    const remedy = `have it checked by POST /v1/agent/evolution/pipeline/${facts.idea_id}, with a key of the scopes order and admin`;
    if (status !== "passed")
      refuse("conflict", `an idea that is ${status} cannot be accepted: ${remedy}, and pass`);
    if (checked!.checks_version < checks_version)
      refuse(
        "conflict",
        `the idea has passed version ${checked!.checks_version} of the checks, and this is version ${checks_version}: ${remedy}`,
      );
    return [{ type: "ImprovementAccepted", data }];
  };

export const decline =
  (data: OperatorDecision) =>
  (state: IdeaState): IdeaEvent[] => {
    const { status } = existingIdea(state);
    if (status === "declined") return [];
    if (status === "accepted" || status === "landed") refuse("conflict", `the idea is ${status}`);
    return [{ type: "ImprovementDeclined", data }];
  };

/** Somebody has written it, by hand, into this commit. */
export const land =
  (data: DataOf<typeof events, "ImprovementLanded">) =>
  (state: IdeaState): IdeaEvent[] => {
    const { status, commit } = existingIdea(state);
    if (status === "landed" && commit === data.commit) return [];
    if (status !== "accepted") refuse("conflict", `an idea that is ${status} cannot land: accept it first`);
    return [{ type: "ImprovementLanded", data }];
  };

export const objectOf = (idea_id: number, digest: string) => objectName("idea", String(idea_id), digest);
