import { z } from "zod";
import { pay } from "../../src/api/declare/access/pay.ts";
import type { Usdc } from "../../src/api/declare/access/way.ts";
import { type OperationDeclaration, operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";

/** An operation that is sold for `price`; it represents everything dearer than a question. */
export const report = (name: string, price: Usdc): OperationDeclaration =>
  operation({
    name: `test_${name}`,
    route: `POST /v1/agent/test/${name}`,
    effect: { changes: "adds", repeatable: false, reaches_out: false },
    summary: "A report",
    description: "A report that says what it cost.",
    access: [pay(price)],
    input: z.object({}),
    output: json(z.object({ data: z.object({ price: z.string() }), meta: z.object({}) })),
    example: {},
    handle: async () => ({ data: { price }, meta: {} }),
  });
