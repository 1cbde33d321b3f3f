import { z } from "zod";
import type { Context, OperationDeclaration } from "../declare/operation.ts";
import { handled } from "./answer.ts";

export type Part<In> = { of: OperationDeclaration; ask: (input: In) => Record<string, unknown> };

/** An operation made of other operations. Each runs as if the caller had called it, and must answer JSON. */
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
