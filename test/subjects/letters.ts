/** An area with sealed values: letters to people, of which the log has only the sealed address. */

import { z } from "zod";
import { key } from "../../src/api/declare/access/key.ts";
import { pay } from "../../src/api/declare/access/pay.ts";
import type { Context } from "../../src/api/declare/operation.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import type { Area } from "../../src/areas/area.ts";
import type { DataOf, EventOf } from "../../src/core/model/entity.ts";
import { madeId } from "../../src/core/model/fields.ts";
import { refuse } from "../../src/core/model/refusal.ts";
import { mailSubject, sealed, sealLocation } from "../../src/core/model/sealed.ts";

const events = {
  LetterWritten: {
    means: "A letter was written.",
    1: z.strictObject({ letter_id: madeId, words: z.int(), to: sealed }),
  },
  LetterCopied: { means: "A letter was copied to others.", 1: z.strictObject({ to: z.array(sealed) }) },
};
type LetterEvent = EventOf<typeof events>;
export type Written = DataOf<typeof events, "LetterWritten">;
type Letter = { facts: Written; copies: number } | undefined;

const prefix = "letter-";
export const letter = {
  prefix,
  events,
  streamOf: (id: string) => prefix + id,
  initialState: (): Letter => undefined,
  evolve: (state: Letter, { type, data }: LetterEvent): Letter =>
    type === "LetterWritten" ? { facts: data, copies: 0 } : state && { ...state, copies: data.to.length },
};

export const write =
  (facts: Written) =>
  (state: Letter): LetterEvent[] =>
    state ? refuse("conflict", "it was written") : [{ type: "LetterWritten", data: facts }];

export const copy = (to: Written["to"][]) => (): LetterEvent[] => [{ type: "LetterCopied", data: { to } }];

export const placeOf = (tenant: string, id: string) => sealLocation(letter, { tenant, id }, "LetterWritten");

const shown = z.object({
  letter_id: madeId,
  to: z.object({ mail: z.string(), address: z.string() }).nullable(),
  erased: z.boolean(),
});

/** A letter as its owner sees it. */
async function show(
  subjects: Context<never>["subjects"],
  tenant: string,
  letter_id: string,
  { to }: Written,
) {
  const [opened] = await subjects.open([{ sealed: to, place: placeOf(tenant, letter_id) }]);
  const value = opened!.erased ? null : (opened!.value as { mail: string; address: string });
  return { data: { letter_id, to: value, erased: opened!.erased }, meta: {} };
}

const writeLetter = operation({
  name: "letters_write",
  route: "POST /v1/agent/letters",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Write a letter",
  description: "Writes a letter to somebody.",
  access: [key("order"), pay("0.01")],
  secrets: ["mail", "address"],
  input: z.object({
    mail: z.string().max(100, "is at most 100 characters").describe("To whom"),
    address: z.string().max(300, "is at most 300 characters").describe("Where they live"),
  }),
  output: json(z.object({ data: shown, meta: z.object({}) })),
  status: 201,
  refuses: [409],
  example: { mail: "anna@example.org", address: "Brivibas 1, Riga" },
  handle: async ({ input, caller: { tenant }, subjects, unit }) => {
    const subject = mailSubject(tenant, input.mail);
    const to = unit.personal({ subject, place: placeOf(tenant, unit.fresh_id), value: { ...input } });
    const { state } = await unit.decide(
      letter,
      { tenant, id: unit.fresh_id },
      write({ letter_id: unit.fresh_id, words: 3, to }),
    );
    return show(subjects, tenant, unit.fresh_id, state!.facts);
  },
});

const readLetter = operation({
  name: "letters_read",
  route: "GET /v1/agent/letters/{letter_id}",
  summary: "Read a letter",
  description: "Shows a letter of yours.",
  access: [key("read"), pay("0.01")],
  input: z.object({ letter_id: madeId.describe("Which") }),
  output: json(z.object({ data: shown, meta: z.object({}) })),
  refuses: [404],
  example: { letter_id: "0".repeat(32) },
  handle: async ({ input: { letter_id }, caller: { tenant }, app, subjects }) => {
    const state = await app.load(letter, { tenant, id: letter_id });
    if (!state) return refuse("not_found", "there is no such letter of yours");
    return show(subjects, tenant, letter_id, state.facts);
  },
});

export const letters: Area = {
  name: "letters",
  about: "Letters to people, which show how personal data is sealed",
  envelope: "success",
  entities: [letter],
  projections: [],
  reactors: [],
  operations: [writeLetter, readLetter],
  problems: {},
};
