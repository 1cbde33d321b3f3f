/** Each process renews its presence, so that others notice its death. */
export type Presence = {
  readonly name: string;
  /** False once others may count it as dead: it paused too long, or lost the database. */
  isLive(): boolean;
  /** Milliseconds until a silent process counts as dead; 0 if it counts as dead already. */
  livesFor(name: string): Promise<number>;
  /** Others may take over its work at once. */
  leave(): Promise<void>;
};
