export type Sheet = { columns: Column[]; rows: Cell[][] };
export type Column = { name: string; type: "integer" | "number" | "boolean" | "text" };
export type Cell = string | number | boolean | null;
