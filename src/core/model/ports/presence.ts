/** A process among those that share a database: it says that it lives, so that others see when it does so no more. */
export type Presence = {
  /** Of this run of the process alone. */
  readonly name: string;
  /** False once others may count it as dead: it was paused for too long, or could not reach the database. */
  isLive(): boolean;
  /** For how much longer a process counts as living should it say no more, in milliseconds; 0 of one that is dead. */
  livesFor(name: string): Promise<number>;
  /** Says that it is done: what it was at may be taken over at once. */
  leave(): Promise<void>;
};
