/** Figures as rows and columns, each column of one type. null is not known, or not there. */
export type Sheet = { columns: Column[]; rows: Cell[][] };
export type Column = { name: string; type: "integer" | "number" | "boolean" | "text" };
export type Cell = string | number | boolean | null;
