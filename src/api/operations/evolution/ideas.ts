import { createHmac } from "node:crypto";
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { digestOf } from "../../../core/model/objects.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { CHECKS_VERSION, checksOf, type Earlier, isPath } from "../../../domain/evolution/checks.ts";
import * as ideas from "../../../domain/evolution/idea.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import { findIdea, ideasBefore, ideasProjection } from "../../../projections/evolution/ideas.ts";
import { internal, json, key, operation, pay } from "../../declare/index.ts";

const BODY_BYTES = 256 * 1024;
/** A draft is compared with this many earlier drafts. */
const MOST_COMPARED = 20;

const ideaShown = z.object({
  idea_id: ideas.ideaId,
  status: z.enum(ideas.statuses),
  target_file: z.string().nullable().describe("null if the idea names no file"),
  text_sha256: z.string(),
  draft_sha256: z.string().nullable().describe("null without a draft"),
  draft_bytes: z.int().nullable().describe("null without a draft"),
  proposed_at: z.string(),
});

const publicIdea = ({ status, facts }: ideas.Idea): z.infer<typeof ideaShown> => ({ status, ...facts });

const propose = operation({
  name: "evolution_propose",
  route: "POST /v1/agent/evolution/propose",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Propose an improvement of this service; a draft file is optional",
  description: "The operator reads the draft as text. It is never run, imported or applied.",
  access: [key("order"), pay("0.10")],
  body_bytes: BODY_BYTES,
  input: z.object({
    title: z
      .string()
      .trim()
      .min(1, "is 1 to 200 characters")
      .max(200, "is 1 to 200 characters")
      .refine((given) => given.isWellFormed(), "is text in Unicode")
      .describe("1 to 200 characters"),
    description: z
      .string()
      .trim()
      .max(2_000, "is at most 2000 characters")
      .refine((given) => given.isWellFormed(), "is text in Unicode")
      .default("")
      .describe("At most 2000 characters"),
    target_file: z
      .string()
      .max(200, { error: "is at most 200 characters", abort: true })
      .refine(
        isPath,
        "is a path within the repository, such as src/core/model/chain.ts, at most 200 characters",
      )
      .optional()
      .describe("The file to change; required for the checks"),
    draft_content: z
      .string()
      .min(1, "is 1 byte to 100 KB")
      .max(ideas.MOST_DRAFT_BYTES, { error: "is 100 KB at most", abort: true })
      .refine((given) => given.isWellFormed(), "is text in Unicode")
      .refine((given) => Buffer.byteLength(given) <= ideas.MOST_DRAFT_BYTES, "is 100 KB at most")
      .optional()
      .describe("The whole file, 100 KB at most; required for the checks"),
  }),
  output: json(
    z.object({
      data: ideaShown,
      meta: z.object({
        next: z.string().nullable().describe("The checks; null if there is no draft of a named file"),
      }),
    }),
  ),
  example: {
    title: "Say what a month is",
    description: "A sentence for its first reader.",
    target_file: "docs/example.md",
    draft_content: "A month is written YYYY-MM.\n",
  },
  async handle({ input, app, caller, unit }) {
    const { title, description, target_file = null, draft_content } = input;
    const idea_id = ideaIdOf(app.link_secret, unit.fresh_id);
    const about = Buffer.from(JSON.stringify({ description, title }));
    const draft = draft_content === undefined ? null : Buffer.from(draft_content);
    for (const one of draft ? [about, draft] : [about])
      await app.objects.put(ideas.objectOf(idea_id, digestOf(one)), one);
    const { state } = await unit.decide(
      ideas,
      ideas.targetOf(caller.tenant, idea_id),
      ideas.propose({
        idea_id,
        text_sha256: digestOf(about),
        target_file,
        draft_sha256: draft === null ? null : digestOf(draft),
        draft_bytes: draft === null ? null : draft.length,
        proposed_at: app.clock.now().toISOString(),
      }),
    );
    return {
      data: publicIdea(ideas.existingIdea(state)),
      meta: { next: target_file && draft ? `/v1/agent/evolution/pipeline/${idea_id}` : null },
    };
  },
});

/** The idea's number: unguessable, below 2^53, and the same for a repeated command. A counter would be contended. */
function ideaIdOf(link_secret: Uint8Array, fresh_id: string): number {
  for (let n = 0; ; n++) {
    const digest = createHmac("sha256", link_secret).update(`idea:${fresh_id}${n}`).digest();
    const id = digest.readUIntBE(0, 6) * 32 + (digest[6]! & 31);
    if (id > 0 && id <= Number.MAX_SAFE_INTEGER) return id;
  }
}

const pipeline = operation({
  name: "evolution_pipeline",
  route: "POST /v1/agent/evolution/pipeline/{id}",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  summary: "Check a draft of yours: path, encoding, size, secrets, syntax, imports, lines, similarity",
  description: "The draft is read as text. A repeat returns the first verdict, unless the checks changed.",
  access: [key("order"), internal(), pay("0.05")],
  input: z.object({
    id: z.coerce.number().pipe(ideas.ideaId).describe("The idea_id from evolution_propose"),
  }),
  output: json(
    z.object({
      data: ideaShown.extend({
        checks_version: z.int(),
        checks: z.array(ideas.check),
        verdict: z.enum(["passed", "failed"]),
      }),
      meta: z.object({ count: z.int() }),
    }),
  ),
  refuses: [404, 409, 410],
  example: { id: examples.idea.shown },
  async handle({ input: { id }, app, caller, unit }) {
    const isAdmin = caller.kind === "internal" || (caller.kind === "key" && caller.scopes.includes("admin"));
    const tenant = isAdmin ? await tenantOf(app, id) : caller.tenant;
    const target = ideas.targetOf(tenant, id);
    const found = await app.load(ideas, target);
    if (!found) return refuse("not_found", `you have no idea ${id}`);
    const state = await checkedNow(app, found, (checked) => unit.decide(ideas, target, ideas.judge(checked)));
    const { checks_version, checks, verdict } = state.checked!;
    return {
      data: { ...publicIdea(state), checks_version, checks, verdict },
      meta: { count: checks.length },
    };
  },
});

async function tenantOf(app: App, id: number): Promise<string> {
  await app.caughtUp(ideasProjection);
  return (await findIdea(app.pool, id))?.tenant ?? refuse("not_found", `there is no idea ${id}`);
}

/** Checks an idea with the current checks, unless it already has a verdict of these or of later checks. */
async function checkedNow(
  app: App,
  found: ideas.Idea,
  judge: (checked: ideas.Checked) => Promise<{ state: ideas.IdeaState }>,
): Promise<ideas.Idea> {
  if (
    found.checked &&
    (found.checked.checks_version >= CHECKS_VERSION || found.status !== found.checked.verdict)
  )
    return found;
  const { facts } = found;
  if (!ideas.isDrafted(facts))
    return refuse(
      "conflict",
      `idea ${facts.idea_id} has no draft to check: propose it again with target_file and draft_content`,
    );
  const { idea_id, target_file, draft_sha256 } = facts;
  const bytes = await app.objects.get(ideas.objectOf(idea_id, draft_sha256));
  if (!bytes) return refuse("not_found", `the draft of idea ${idea_id} was deleted`);
  const checks = await checksOf({ target_file, bytes }, await earlierThan(app, facts), app.parser);
  const verdict = checks.every(({ passed }) => passed) ? "passed" : "failed";
  const checked_at = app.clock.now().toISOString();
  const { state } = await judge({ checks_version: CHECKS_VERSION, checks, verdict, checked_at });
  return ideas.existingIdea(state);
}

async function earlierThan(app: App, { idea_id, target_file }: ideas.Drafted): Promise<Earlier[]> {
  await app.caughtUp(ideasProjection);
  const rows = await ideasBefore(app.pool, { idea_id, target_file, limit: MOST_COMPARED });
  const found = await Promise.all(
    rows.map(async (row) => {
      const bytes = await app.objects.get(ideas.objectOf(row.idea_id, row.draft_sha256));
      return bytes ? [{ idea_id: row.idea_id, text: bytes.toString() }] : [];
    }),
  );
  return found.flat();
}

export const ideaOperations = [propose, pipeline];
