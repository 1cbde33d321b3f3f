import { upToFigures } from "../../datasets/reading.ts";
import type { PricedCall } from "./access/way.ts";
import type { Context, OperationDeclaration } from "./operation.ts";

/** Refuses input that the data do not cover, before the payment and without reading a figure. */
export async function refuseUncovered(
  { covers, handle }: Pick<OperationDeclaration, "covers" | "handle">,
  input: never,
  call: PricedCall,
): Promise<void> {
  if (covers !== "handle") return covers?.(input, call);
  const { signal } = new AbortController();
  await upToFigures(call.data, (data) =>
    handle({ ...call, input, data, signal } as unknown as Context<never>),
  );
}

/** Refuses a step of a plan whose input the data do not cover; the fields are checked elsewhere. */
export const stepCover =
  (operations: readonly OperationDeclaration[], call: PricedCall) =>
  async (name: string, given: Record<string, unknown>): Promise<void> => {
    const operation = operations.find((one) => one.name === name);
    const input = operation?.input.safeParse(given);
    if (operation && input?.success) await refuseUncovered(operation, input.data as never, call);
  };
