/** The size of races, crowds and properties: SCALE=1 in `npm test` and CI, 0.2 for a trial, 10 for a night. */
export const SCALE = Number(process.env.SCALE ?? 1);
if (!(SCALE > 0)) throw new Error(`SCALE is a number above 0, not ${process.env.SCALE}`);

/** `many` at SCALE=1, in proportion at another scale, and at least `least`. */
export const scaled = (many: number, least = 1): number => Math.max(least, Math.round(many * SCALE));
