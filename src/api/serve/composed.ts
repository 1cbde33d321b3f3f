/** Operations answered in one: what each would answer by itself, under its own name. */
import { z } from "zod";
import type { Context, OperationDeclaration } from "../declare/operation.ts";
import { handled } from "./answer.ts";

/** An operation, and what it is asked for the input of the whole. */
export type Part<In> = { of: OperationDeclaration; ask: (input: In) => Record<string, unknown> };

/** The answer's schema and the handler of an operation that is made of others, all of JSON; each is asked as its own caller would ask it. */
export function composed<In>(parts: Readonly<Record<string, Part<In>>>) {
  const schemas = Object.entries(parts).map(([name, { of }]) => {
    if (of.output.kind !== "json") throw new Error(`${of.name} answers no JSON`);
    return [name, of.output.schema] as const;
  });
  return {
    schema: z.object(Object.fromEntries(schemas)),
    handle: async (context: Context<In>): Promise<object> => {
      const answers = Object.entries(parts).map(async ([name, { of, ask }]) => {
        const input = of.input.parse(ask(context.input)) as never;
        return [name, await handled(of, { ...context, input })] as const;
      });
      return Object.fromEntries(await Promise.all(answers));
    },
  };
}
