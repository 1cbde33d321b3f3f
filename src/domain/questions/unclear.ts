/** Refuses a question that names something unknown, or that may mean two things. */
import { refuseWith } from "../../core/model/refusal.ts";
import type { Slots } from "../plans/slots.ts";
import type { Understood } from "./read.ts";

/** A slot that the caller gave as a field needs no reading. */
export function refuseUnclear({ not_found, ambiguous }: Understood, given: Slots, field: string): void {
  const isGiven = given.hs !== undefined && given.country !== undefined;
  if (not_found.length > 0 && !isGiven)
    refuseWith(
      field,
      `unknown: ${not_found.map((name) => `“${name}”`).join(", ")}; name a country or product of the statistics`,
    );
  const open = ambiguous.find(({ slot }) => given[slot === "product" ? "hs" : "country"] === undefined);
  if (open)
    refuseWith(
      field,
      `ambiguous: “${open.text}” may be ${open.readings.map(({ code, name }) => `${code} (${name})`).join(" or ")}; name one of the codes as hs`,
    );
}
