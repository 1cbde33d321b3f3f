import { paymentOf } from "./access/way.ts";
import { formsOf } from "./forms/form.ts";
import type { OperationDeclaration } from "./operation.ts";
import { isCommand, methodOf, readsOf } from "./operation-facts.ts";

const EVERYWHERE = [400, 401, 412, 429, 503];
export const OF_ANY_CALL: readonly number[] = [400, 401, 406, 412, 413, 415, 429];
const WRITING = [409, 413, 415, 422];
/** These statuses are possible for any call that may append, even without a body. */
const NAMED = [409, 422];
const FILE = [416];

export function refusalsOf(operation: OperationDeclaration): ReadonlySet<number> {
  const { access, output, refuses = [], moves_money } = operation;
  return new Set([
    ...EVERYWHERE,
    ...access.flatMap(({ statuses }) => statuses),
    ...(methodOf(operation) === "GET" ? [] : WRITING),
    ...(isCommand(operation) ? NAMED : []),
    ...(formsOf(operation).length > 0 ? [406] : []),
    ...(output.kind === "file" ? FILE : []),
    ...(moves_money ? [403] : []),
    ...(paymentOf(operation) ? [402] : []),
    // `Min-Log-Position` may name another history.
    ...(readsOf(operation) ? [409] : []),
    ...refuses,
  ]);
}
