import type { Operation } from "../operation.ts";
export const tradeOperations: Operation[] = [];
