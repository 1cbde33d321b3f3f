/**
 * The entry by which a process shows that it is alive. Each process renews its entry, so that others notice its
 * death.
 */
export type Presence = {
  readonly name: string;
  /** False once other processes may count this one as dead: it paused too long, or lost the database. */
  isLive(): boolean;
  /** Milliseconds until a process that no longer renews its entry counts as dead; 0 if it already does. */
  livesFor(name: string): Promise<number>;
  /** Tells the other processes that they may take over this process's work at once. */
  leave(): Promise<void>;
};
