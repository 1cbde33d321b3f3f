/**
 * Trade figures straight from the normalised parquet file, without the service's code.
 *
 * The parquet sums both folders of source files. Partner rows are in one folder only; WORLD rows of products in both
 * folders are doubled there, so they are halved here.
 */
import { DuckDBInstance } from "@duckdb/node-api";

export type Amount = { value: number; kg: number };

export async function independentFigures(parquet: string, inBothFolders: string[]) {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(
    `create table trade as select reporter, partner, product, flow, period // 100 as year, period % 100 as month,
       value_eur / if(partner = 'WORLD' and list_contains(string_split($doubled, ','), product), 2, 1) as value_eur,
       quantity_kg / if(partner = 'WORLD' and list_contains(string_split($doubled, ','), product), 2, 1) as quantity_kg
     from read_parquet($parquet)`,
    { parquet, doubled: inBothFolders.join(",") },
  );
  const ask = async (what: string, where: string): Promise<unknown[][]> => {
    const answer = await connection.runAndReadAll(
      `select ${what}, sum(value_eur)::double, sum(quantity_kg)::double from trade where ${where} group by all order by all`,
    );
    return answer.getRowsJS();
  };
  return {
    /** By partner, and under "total" the months' WORLD rows, or the month's partners if it has none. */
    partners: async (reporter: string, product: string, flow: string, year: number) => {
      const where = `reporter = '${reporter}' and product = '${product}' and flow = '${flow}' and year = ${year}`;
      const months = new Map<number, { world?: Amount; partners: Amount }>();
      const byPartner = new Map<string, Amount>();
      for (const [month, partner, value, kg] of (await ask("month, partner", where)) as [
        number,
        string,
        number,
        number,
      ][]) {
        const sums = months.get(month) ?? { partners: { value: 0, kg: 0 } };
        months.set(month, sums);
        if (partner === "WORLD") {
          sums.world = { value, kg };
          continue;
        }
        add(sums.partners, { value, kg });
        byPartner.set(partner, add(byPartner.get(partner) ?? { value: 0, kg: 0 }, { value, kg }));
      }
      const total = { value: 0, kg: 0 };
      for (const { world, partners } of months.values()) add(total, world ?? partners);
      return { byPartner, total };
    },
    /** By "YYYY-MM FLOW" of the given reporters, from the source's WORLD rows. */
    months: async (reporters: string[], product: string) =>
      new Map(
        (
          await ask(
            "printf('%d-%02d %s', year, month, flow)",
            `list_contains([${reporters.map((code) => `'${code}'`).join(", ")}], reporter)
             and product = '${product}' and partner = 'WORLD'`,
          )
        ).map(([month, value, kg]) => [month as string, { value, kg } as Amount]),
      ),
    /** Rows of any query over `trade` (reporter, partner, product, flow, year, month, value_eur, quantity_kg). */
    sql: async (query: string) => (await connection.runAndReadAll(query)).getRowObjectsJS(),
    /** Products with rows, by code. */
    products: async () => (await ask("product", "true")).map(([product]) => product as string),
  };
}

function add(sum: Amount, more: Amount): Amount {
  sum.value += more.value;
  sum.kg += more.kg;
  return sum;
}
