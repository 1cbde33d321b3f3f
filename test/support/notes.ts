/** A small area for tests of the engine: a notebook per tenant that takes each note once. */
import { z } from "zod";
import { key } from "../../src/api/declare/access/key.ts";
import { open } from "../../src/api/declare/access/open.ts";
import { pay } from "../../src/api/declare/access/pay.ts";
import type { Usdc } from "../../src/api/declare/access/way.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import type { EventOf } from "../../src/core/model/entity.ts";
import { refuse } from "../../src/core/model/refusal.ts";

export const events = {
  NoteTaken: { 1: z.strictObject({ text: z.string() }) },
};

type NoteEvent = EventOf<typeof events>;
export type Notebook = { notes: string[] };

export const prefix = "notebook-";
export const streamOf = (id: string) => prefix + id;
export const initialState = (): Notebook => ({ notes: [] });
export const evolve = (state: Notebook, event: NoteEvent): Notebook => ({
  notes: [...state.notes, event.data.text],
});

/** Repeating a note changes nothing; a tenth note is refused. */
export const take =
  (text: string, most = 1_000) =>
  (state: Notebook): NoteEvent[] => {
    if (state.notes.includes(text)) return [];
    if (state.notes.length >= most) refuse("conflict", "the notebook is full");
    return [{ type: "NoteTaken", data: { text } }];
  };

const entity = { prefix, events, streamOf, initialState, evolve };

const write = {
  summary: "Take a note",
  description: "Writes a note into a notebook of yours.",
  output: json(z.object({ data: z.object({ count: z.int(), last: z.string() }), meta: z.object({}) })),
  status: 201 as const,
};

export const takeNote = operation({
  ...write,
  name: "take_note",
  route: "POST /v1/agent/notes/{notebook}",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  access: [
    key("order"),
    pay<{ text: string }>(
      ({ text }) => `0.0${Math.min(text.length, 9)}` as Usdc,
      "0.01",
      "0.01 USDC a character",
    ),
  ],
  input: z.object({
    notebook: z.string().max(20),
    text: z.string().min(1).max(1_000).describe("What to write"),
    tags: z.array(z.string().max(10)).max(3).optional(),
  }),
  example: { notebook: "a", text: "hello" },
  handle: async ({ input, caller, unit }) => {
    const { state } = await unit.decide(
      entity,
      { tenant: caller.tenant, id: input.notebook },
      take(input.text),
    );
    return { data: { count: state.notes.length, last: state.notes.at(-1) ?? "" }, meta: {} };
  },
});

export const twoNotes = operation({
  ...write,
  name: "two_notes",
  route: "POST /v1/agent/two-notes",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  access: [key("order")],
  input: z.object({ text: z.string(), fail: z.boolean().default(false) }),
  example: { text: "x" },
  handle: async ({ input, caller, unit }) => {
    await unit.decide(entity, { tenant: caller.tenant, id: "left" }, take(input.text));
    const right = await unit.decide(entity, { tenant: caller.tenant, id: "right" }, take(input.text));
    if (input.fail) refuse("conflict", "as asked");
    return { data: { count: right.state.notes.length, last: input.text }, meta: {} };
  },
});

const read = {
  summary: "Read something",
  description: "A priced read.",
  input: z.object({
    limit: z.int().min(1).max(100).default(20).describe("How many"),
    names: z.array(z.string().max(5)).max(3).optional().describe("Which"),
    deep: z.boolean().default(false),
    word: z.string().max(10).optional(),
  }),
  output: json(z.object({ data: z.looseObject({}), meta: z.object({}) })),
  example: { limit: 3 },
};

export const countCalls = operation({
  ...read,
  name: "count_calls",
  again_to: "anybody",
  route: "GET /v1/agent/count",
  access: [key("read"), pay("0.05")],
  handle: async ({ input }) => ({ data: input, meta: {} }),
});

export const openRead = operation({
  ...read,
  name: "open_read",
  route: "GET /v1/agent/open",
  access: [open()],
  handle: async ({ input }) => ({ data: input, meta: {} }),
});

export const misfit = operation({
  ...read,
  access: [key("read"), pay("0.05")],
  name: "misfit",
  route: "GET /v1/agent/misfit",
  handle: async () => ({ data: "not an object", meta: {} }),
});

export const broken = operation({
  ...read,
  access: [key("read"), pay("0.05")],
  name: "broken",
  route: "GET /v1/agent/broken",
  handle: async () => {
    throw new Error("secret details");
  },
});

export const noteOperations = [takeNote, twoNotes, countCalls, openRead, misfit, broken];
