/** Told how far a stage has come: `done` of `total` in the stage's own unit (bytes read, years written). */
export type Progress = (stage: Stage, done: number, total: number) => void;

/** The stages of a build, in their order. */
export type Stage = "read" | "check" | "write" | "publish";
