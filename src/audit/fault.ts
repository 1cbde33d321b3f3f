/** What is wrong and where: the number of events that a tree head is of, or the place of an event; `good`: what holds up to where. */
export type Fault = { reason: string; place: number; good?: number };
