/**
 * Erases a subject: records the request, destroys its key in the vault, deletes its objects, and records the end.
 * Each step may run twice; a reactor finishes interrupted erasures.
 */
import type { JsonObject } from "../../../eventstore/types.ts";
import type { App } from "../../core/app.ts";
import type { EventName } from "../../core/model/refusal.ts";
import type { SubjectName } from "../../core/model/sealed.ts";
import * as subject from "../../core/model/subject.ts";
import type { RunnerLog } from "../../core/read-models/runner.ts";
import { allErasures, erasuresProjection } from "../../projections/subjects/erasures.ts";
import { sealedEventsOf, sealedProjection } from "../../projections/subjects/sealed.ts";

/** The progress of an erasure, and the event that records it if it was appended now. */
export type Erasure = Exclude<subject.SubjectState, undefined> & { event?: EventName };
/** The longest wait for a read model. */
const WAIT_MS = 5_000;

type ErasureRequest = { by: "owner" | "operator"; meta: JsonObject };

/** Erases the subject of this name; undefined where nothing is sealed for it. */
export async function eraseSubject(
  app: App,
  name: SubjectName,
  { by, meta }: ErasureRequest,
): Promise<Erasure | undefined> {
  const subject_id = await app.subjects.find(name);
  if (subject_id === undefined) return undefined;
  const target = { tenant: name.tenant, id: subject_id };
  const requested_at = app.clock.now().toISOString();
  const decision = subject.requestErasure({ subject_id, by, requested_at });
  const { events } = await app.decide(subject, target, decision, { meta });
  return { ...(events[0] && { event: events[0] }), ...(await concludeErasure(app, target, meta)) };
}

/** Erases one person who has several names; the answer counts the events of all. Undefined where none is known. */
export async function eraseSubjects(
  app: App,
  names: readonly SubjectName[],
  request: ErasureRequest,
): Promise<Erasure | undefined> {
  const erased: Erasure[] = [];
  for (const name of names) {
    const one = await eraseSubject(app, name, request);
    if (one) erased.push(one);
  }
  const open = erased.find(({ status }) => status === "requested");
  if (open) return open;
  const concluded = erased.flatMap((one) => (one.status === "erased" ? [one] : []));
  const sealed_events = concluded.reduce((sum, { erasure }) => sum + erasure.sealed_events, 0);
  const [first] = concluded;
  return first && { ...first, erasure: { ...first.erasure, sealed_events } };
}

/** Concludes a request. Where the read model lags, the erasure stays `requested`, and the reactor concludes it. */
export async function concludeErasure(
  app: App,
  target: { tenant: string; id: string },
  meta: JsonObject,
): Promise<Erasure> {
  const { id: subject_id } = target;
  await app.subjects.erase([subject_id]);
  const erased_at = app.clock.now();
  await app.answers.forget(subject_id);
  // Nothing is sealed for it after the request, so the read model is complete at this position.
  const { position } = await app.store.head();
  if (!(await app.runner.reached(sealedProjection, position, WAIT_MS)))
    return (await app.load(subject, target))!;
  const erasure = {
    subject_id,
    sealed_events: await sealedEventsOf(app.pool, subject_id),
    erased_at: erased_at.toISOString(),
    final_after: new Date(erased_at.getTime() + app.subjects.backup_days * 86_400_000).toISOString(),
  };
  const { result, events } = await app.decide(subject, target, subject.concludeErasure(erasure), { meta });
  return { ...result.state!, ...(events[0] && { event: events[0] }) };
}

/**
 * Destroys the keys of all requested erasures again, before any call is served: the vault may have been restored from
 * a backup that still had them.
 */
export async function replayErasures(app: App, log: RunnerLog): Promise<number> {
  const { position } = await app.store.head();
  while (!(await app.runner.reached(erasuresProjection, position, WAIT_MS)))
    log.warn(
      { position },
      "waiting for the list of all erasures, because a restored vault may have keys that were destroyed",
    );
  let destroyed = 0;
  for await (const subject_ids of allErasures(app.pool)) destroyed += await app.subjects.erase(subject_ids);
  return destroyed;
}
