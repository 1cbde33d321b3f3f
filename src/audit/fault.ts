/**
 * A fault and its location: the size of a tree head, or the place of an event. `good`: the claim that holds up to a
 * place.
 */
export type Fault = { reason: string; place: number; good?: number };
