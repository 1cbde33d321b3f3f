/** Listed persons and entities: the common fields of every sanctions list. */
import { z } from "zod";

export const listedKinds = ["person", "entity", "vessel", "aircraft"] as const;
export type ListedKind = (typeof listedKinds)[number];

/** primary: what the list calls it; strong: another name that it vouches for; weak: one that it names with reserve. */
export const nameQualities = ["primary", "strong", "weak"] as const;

const listedName = z.strictObject({
  name: z.string().min(1).max(1_000),
  quality: z.enum(nameQualities),
});
export type ListedName = z.infer<typeof listedName>;

/** One entry of a list. */
export const listEntry = z.strictObject({
  entry_id: z.string().min(1),
  /** The list's own reference, such as CDi.001; null where it has only the number. */
  reference: z.string().nullable(),
  kind: z.enum(listedKinds),
  names: z.array(listedName).min(1),
  /** Years. */
  born: z.array(z.int().min(1000).max(2100)),
  /** Nationalities and places, as the list writes them. */
  countries: z.array(z.string()),
  programs: z.array(z.string()),
});
export type ListEntry = z.infer<typeof listEntry>;
