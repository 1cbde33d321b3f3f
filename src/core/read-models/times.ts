/** Formats a database time as in events: UTC, milliseconds. */
export const utc = (column: string) =>
  `to_char((${column}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
