/** What the house needs from outside. One real adapter each in src/adapters, one fake in test/support. */

export type Clock = { now(): Date };

export type Random = { bytes(length: number): Uint8Array };
