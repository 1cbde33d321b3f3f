/** The operator's actions on ideas: read, accept, decline and mark as landed. */
import { type App, operatorMeta } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import { CHECKS_VERSION } from "../domain/evolution/checks.ts";
import type { Idea, IdeaEvent, IdeaState } from "../domain/evolution/idea.ts";
import * as ideas from "../domain/evolution/idea.ts";
import { findIdea, type IdeaRow, ideasProjection, listIdeas } from "../projections/evolution/ideas.ts";

/** A killed process's lease expires within this. */
const FOLDED_MS = 8_000;

async function folded(app: App): Promise<void> {
  const { position } = await app.store.head();
  if (!(await app.runner.reached(ideasProjection, position, FOLDED_MS)))
    refuse("unavailable", "the list of ideas lags behind the log; try again in a few seconds");
}

export async function allIdeas(app: App, status?: string): Promise<IdeaRow[]> {
  await folded(app);
  return listIdeas(app.pool, status);
}

async function rowOf(app: App, idea_id: number): Promise<IdeaRow> {
  await folded(app);
  return (await findIdea(app.pool, idea_id)) ?? refuse("not_found", `there is no idea ${idea_id}`);
}

/** An idea with its texts, written by strangers. */
export async function readIdea(
  app: App,
  idea_id: number,
): Promise<{ idea: Idea; text: string; draft: string }> {
  const { tenant } = await rowOf(app, idea_id);
  const idea = ideas.existingIdea(await app.load(ideas, ideas.targetOf(tenant, idea_id)));
  const read = async (digest: string) =>
    (await app.objects.get(ideas.objectOf(idea_id, digest)))?.toString() ?? "";
  const { text_sha256, draft_sha256 } = idea.facts;
  return {
    idea,
    text: await read(text_sha256),
    draft: draft_sha256 === null ? "" : await read(draft_sha256),
  };
}

async function decideIdea(
  app: App,
  idea_id: number,
  decision: (state: IdeaState) => IdeaEvent[],
  operation: string,
): Promise<Idea> {
  const { tenant } = await rowOf(app, idea_id);
  const meta = operatorMeta(operation);
  const { result } = await app.decide(ideas, ideas.targetOf(tenant, idea_id), decision, { meta });
  return ideas.existingIdea(result.state);
}

const wordOf = (app: App, reason: string) =>
  ({ by: "operator", reason, at: app.clock.now().toISOString() }) as const;

export const acceptIdea = (app: App, idea_id: number, reason: string): Promise<Idea> =>
  decideIdea(app, idea_id, ideas.accept(wordOf(app, reason), CHECKS_VERSION), "ideas.accept");

export const declineIdea = (app: App, idea_id: number, reason: string): Promise<Idea> =>
  decideIdea(app, idea_id, ideas.decline(wordOf(app, reason)), "ideas.decline");

export const landIdea = (app: App, idea_id: number, commit: string): Promise<Idea> =>
  decideIdea(app, idea_id, ideas.land({ commit, at: app.clock.now().toISOString() }), "ideas.landed");
