/** How large races, crowds and properties are: SCALE=1 in `npm test` and CI, 0.2 to try something out, 10 for a night. */
export const SCALE = Number(process.env.SCALE ?? 1);
if (!(SCALE > 0)) throw new Error(`SCALE is a number above 0, not ${process.env.SCALE}`);

/** So many at SCALE=1, in proportion at another scale, and `least` in any case. */
export const scaled = (many: number, least = 1): number => Math.max(least, Math.round(many * SCALE));
