/** Looks for a text wherever a dump of a database would have it. */
import pg from "pg";

/** The tables in which any row has the text, verbatim or in hex or base64. */
export async function tablesWith(url: string, text: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema <> 'information_schema' and table_schema not like 'pg_toast%' order by 1`,
    );
    const found: string[] = [];
    for (const { name } of rows) {
      const all = await client
        .query<{ row: string }>(`select t::text as row from ${name} t`)
        .catch(() => ({ rows: [] }));
      if (all.rows.some(({ row }) => holds(row, text))) found.push(name);
    }
    return found;
  } finally {
    await client.end();
  }
}

/** True if a text contains another, in any case, or its bytes. */
export function holds(haystack: string, text: string): boolean {
  const bytes = Buffer.from(text);
  const middle = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("base64url");
  const lower = haystack.toLowerCase();
  return (
    lower.includes(text.toLowerCase()) || lower.includes(bytes.toString("hex")) || haystack.includes(middle)
  );
}
