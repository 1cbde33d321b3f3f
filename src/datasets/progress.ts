/** Told how far a stage has come: `done` of `total` in the stage's own unit (bytes read, years written). */
export type Progress = (stage: Stage, done: number, total: number) => void;

/** The stages of a build, in their order. */
export const stages = ["read", "check", "write", "publish"] as const;
export type Stage = (typeof stages)[number];

/** A place where a build may stop: throws the abort's reason if there is one, else tells how far it has come. */
export function step(
  build: { progress?: Progress; signal?: AbortSignal },
  stage: Stage,
  done: number,
  total: number,
): void {
  build.signal?.throwIfAborted();
  build.progress?.(stage, done, total);
}
