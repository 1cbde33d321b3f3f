/** Statistical procedures of the source's detailed files; their sum is a cell. */
export const procedures = ["normal", "inward", "outward", "other"] as const;
export type Procedure = (typeof procedures)[number];

/** Comext's digits; the unlisted ones, such as 9 for unrecorded, are `other`. */
export const procedureDigits = { normal: 1, inward: 2, outward: 3 } as const;
