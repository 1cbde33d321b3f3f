/** A missing figure as the sources write it, in capital letters. */
const NO_VALUES = [":", "NA", "N/A", "NAN", ""];

/** True for a cell without a figure: a colon, NA, N/A, NaN or nothing. */
export const isNoValue = (cell: string): boolean => NO_VALUES.includes(cell.trim().toUpperCase());

/** The same in SQL, for a raw column. */
export const noValueSql = (column: string): string =>
  `("${column}" is null or upper(trim("${column}")) in (${NO_VALUES.map((text) => `'${text}'`).join(", ")}))`;
