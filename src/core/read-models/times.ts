/** SQL that formats a database time as events do: in UTC, with milliseconds. */
export const utc = (column: string) =>
  `to_char((${column}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
