/** Reports a stage's progress: `done` of `total` in the stage's own unit (bytes read, years written). */
export type Progress = (stage: Stage, done: number, total: number) => void;

/** The stages of a build, in their order. */
export const stages = ["read", "check", "write", "publish"] as const;
export type Stage = (typeof stages)[number];

/** A point where a build may stop: throws the abort's reason, or reports the progress. */
export function step(
  build: { progress?: Progress; signal?: AbortSignal },
  stage: Stage,
  done: number,
  total: number,
): void {
  build.signal?.throwIfAborted();
  build.progress?.(stage, done, total);
}
