import type { CallOperation } from "../../../projections/reports/writing.ts";
import type { NestedCalls } from "../../serve/nested-calls.ts";

/**
 * Gives nested calls the types of their operations' schemas. The catalogue's tests check that answers match the
 * schemas.
 */
export const typedCalls = (calls: NestedCalls): CallOperation => calls.ask as unknown as CallOperation;
