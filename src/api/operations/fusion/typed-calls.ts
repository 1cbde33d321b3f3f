import type { CallOperation } from "../../../projections/reports/writing.ts";
import type { NestedCalls } from "../../serve/nested-calls.ts";

/** The schemas of the operations type the answers; the catalogue's tests check that answers follow them. */
export const typedCalls = (calls: NestedCalls): CallOperation => calls.ask as unknown as CallOperation;
