/**
 * Computes a year's roll-up from its partition: sums over months, partners and reporters that queries would
 * otherwise repeat.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { literal, rows } from "../duckdb.ts";
import { blockBytes, type Heading, writeRollup } from "./file.ts";

/** A sum of masses in grams is exact while each is below this. */
const MOST_GRAMS = 2 ** 52;
const MOST_PARTNERS = 1 << 15;

/** Why a year has no roll-up; its queries use the partition. */
class NotRolledUp extends Error {}

type PartitionKey = Pick<Heading, "year" | "content_sha256">;

/** Writes the attached partition's roll-up into the folder; false if its amounts are too large. */
export async function makeRollup(
  connection: DuckDBConnection,
  database: string,
  dir: string,
  { year, content_sha256 }: PartitionKey,
): Promise<boolean> {
  try {
    const about = await listsOf(connection, database);
    const made = new RollupBuilder(connection, database, about);
    const totals = await made.totals();
    const partners = await made.partners();
    const { places, chapter_partners } = await made.chapterPartners();
    const all_reporters = await made.allReporters();
    const confidential = await made.confidential();
    await writeRollup(
      dir,
      { year, content_sha256, ...about },
      { totals, partners, places, chapter_partners, all_reporters, confidential },
    );
    return true;
  } catch (error) {
    if (error instanceof NotRolledUp) return false;
    throw error;
  }
}

type DimensionValues = Pick<Heading, "reporters" | "chapters" | "partners" | "records">;

async function listsOf(connection: DuckDBConnection, database: string): Promise<DimensionValues> {
  const distinct = async (column: string, tables: string[]) => {
    const all = tables
      .map((table) => `select ${column} as code from ${database}.${table}`)
      .join(" union all ");
    return (await rows<{ code: string }>(connection, `select distinct code from (${all}) order by code`)).map(
      ({ code }) => code,
    );
  };
  const reporters = await distinct("reporter", ["chapter_totals", "chapter_partners", "deliveries"]);
  const chapters = await distinct("hs2", ["chapter_totals", "chapter_partners"]);
  const partners = await distinct("partner", ["chapter_partners"]);
  if (partners.length > MOST_PARTNERS) throw new NotRolledUp();
  const counted = await rows<{ reporter: string; records: number }>(
    connection,
    `select reporter, sum(rows)::bigint as records from ${database}.deliveries group by reporter`,
  );
  const records = reporters.map((code) => counted.find(({ reporter }) => reporter === code)?.records ?? 0);
  return { reporters, chapters, partners, records };
}

/** SQL for exact numbers: whole euros, and masses in grams, null if unknown. */
const EUR = "value_eur::double as eur";
const GRAMS = "(quantity_kg::decimal(38, 3) * 1000)::hugeint::double as grams";
const SUMS = "sum(value_eur) as value_eur, sum(quantity_kg) as quantity_kg";

class RollupBuilder {
  readonly #connection: DuckDBConnection;
  readonly #database: string;
  readonly #lists: DimensionValues;

  constructor(connection: DuckDBConnection, database: string, lists: DimensionValues) {
    this.#connection = connection;
    this.#database = database;
    this.#lists = lists;
  }

  /** Per reporter, chapter, flow and month: EUR, grams, and EUR of rows with a mass; NaN is none. */
  async totals(): Promise<Float64Array<ArrayBuffer>> {
    const { reporters, chapters } = this.#lists;
    const cells = reporters.length * chapters.length * 24;
    const found = new Float64Array(3 * cells).fill(Number.NaN);
    const place = ([r, c, f, m]: number[]) => ((r! * chapters.length + c!) * 2 + f!) * 12 + m!;
    await this.#each(
      `select r.n, c.n, flow = 'EXPORT', period % 100 - 1, ${EUR}, ${GRAMS}
       from ${this.#database}.chapter_totals ${joined("reporters", "chapters")}`,
      (row) => {
        found[place(row)] = row[4]!;
        found[cells + place(row)] = grams(row[5]!);
      },
    );
    const months = new Set<number>();
    await this.#each(
      `select r.n, c.n, flow = 'EXPORT', period % 100 - 1, priced::double, left_out::double,
         (mass::decimal(38, 3) * 1000)::hugeint::double
       from (
         select reporter, hs2, flow, period, coalesce(sum(value_eur) filter (quantity_kg > 0), 0) as priced,
           coalesce(sum(value_eur) filter (quantity_kg is null or quantity_kg <= 0), 0) as left_out,
           coalesce(sum(quantity_kg) filter (quantity_kg > 0), 0) as mass
         from ${this.#massesSql()} group by all
       ) ${joined("reporters", "chapters")}`,
      (row) => {
        const at = place(row);
        months.add(at);
        found[2 * cells + at] = row[4]!;
        // A month's masses are its total's; rows outside a price are the rest of the total.
        const isWhole = row[4]! + row[5]! === found[at] && row[6] === (found[cells + at]! || 0);
        if (!isWhole) throw new NotRolledUp();
      },
    );
    for (let at = 0; at < cells; at++)
      if (!Number.isNaN(found[at]!) && !months.has(at)) throw new NotRolledUp();
    return found;
  }

  /** The most detailed rows with a mass, as price answers use them. */
  #massesSql(): string {
    const of = (table: string, rest: string) => `from ${this.#database}.${table} where ${rest}`;
    const columns = "reporter, hs2, flow, period, product, value_eur, quantity_kg";
    const chapters = "reporter, hs2, flow, period, hs2 as product, value_eur, quantity_kg";
    const whole = `select product ${of("products", "length(product) = 2")}`;
    return `(
      with world as (select ${columns} ${of("aggregates", "partner = 'WORLD'")}), finest as (
        select ${columns} ${of("cells", "length(product) > 2")}
        union all by name select ${chapters} ${of("chapter_partners", `hs2 in (${whole})`)}
      )
      from world union all by name (from finest anti join world using (reporter, flow, period, product)))`;
  }

  /** Per reporter, partner, flow and month, over all chapters: EUR and grams; NaN is none. */
  async partners(): Promise<Float64Array<ArrayBuffer>> {
    const { reporters, partners } = this.#lists;
    const cells = reporters.length * partners.length * 24;
    const found = new Float64Array(2 * cells).fill(Number.NaN);
    await this.#each(
      `select r.n, p.n, flow = 'EXPORT', period % 100 - 1, ${EUR}, ${GRAMS}
       from (select reporter, partner, flow, period, ${SUMS} from ${this.#database}.chapter_partners group by all)
         ${joined("reporters", "partners")}`,
      ([r, p, f, m, eur, mass]) => {
        const at = ((r! * partners.length + p!) * 2 + f!) * 12 + m!;
        found[at] = eur!;
        found[cells + at] = grams(mass!);
      },
    );
    return found;
  }

  /**
   * Per reporter and chapter, the year's partners: their EUR, their grams, their two-byte codes (twice the
   * partner's number, plus one for exports), and padding to a multiple of eight. `places` counts the partners
   * before each block.
   */
  async chapterPartners(): Promise<{
    places: Uint32Array<ArrayBuffer>;
    chapter_partners: Uint8Array<ArrayBuffer>;
  }> {
    const { reporters, chapters } = this.#lists;
    const blocks = reporters.length * chapters.length;
    const counts = new Uint32Array(blocks);
    const numbers = { eur: [] as Float64Array[], mass: [] as Float64Array[], partner: [] as Uint16Array[] };
    const piece = () => ({
      eur: new Float64Array(PIECE),
      mass: new Float64Array(PIECE),
      partner: new Uint16Array(PIECE),
    });
    let filling = piece();
    let filled = 0;
    const keep = () => {
      numbers.eur.push(filling.eur.subarray(0, filled));
      numbers.mass.push(filling.mass.subarray(0, filled));
      numbers.partner.push(filling.partner.subarray(0, filled));
      filling = piece();
      filled = 0;
    };
    await this.#each(
      `select r.n, c.n, flow = 'EXPORT', p.n, ${EUR}, ${GRAMS}
       from (select reporter, hs2, flow, partner, ${SUMS} from ${this.#database}.chapter_partners group by all)
         ${joined("reporters", "chapters", "partners")} order by 1, 2, 3, 4`,
      ([r, c, f, p, eur, mass]) => {
        counts[r! * chapters.length + c!]!++;
        filling.eur[filled] = eur!;
        filling.mass[filled] = grams(mass!);
        filling.partner[filled] = 2 * p! + f!;
        if (++filled === PIECE) keep();
      },
    );
    keep();
    const places = new Uint32Array(blocks + 1 + ((blocks + 1) & 1));
    for (let at = 0; at < blocks; at++) places[at + 1] = places[at]! + counts[at]!;
    const eur = joinedUp(numbers.eur, Float64Array);
    const mass = joinedUp(numbers.mass, Float64Array);
    const partner = joinedUp(numbers.partner, Uint16Array);
    const bytes = new Uint8Array(counts.reduce((sum, count) => sum + blockBytes(count), 0));
    for (let block = 0, at = 0; block < blocks; block++) {
      const [from, to] = [places[block]!, places[block + 1]!];
      const count = to - from;
      new Float64Array(bytes.buffer, at, count).set(eur.subarray(from, to));
      new Float64Array(bytes.buffer, at + 8 * count, count).set(mass.subarray(from, to));
      new Uint16Array(bytes.buffer, at + 16 * count, count).set(partner.subarray(from, to));
      at += blockBytes(count);
    }
    return { places, chapter_partners: bytes };
  }

  /** Per chapter, partner, flow and month, over all reporters: EUR; NaN is none. */
  async allReporters(): Promise<Float64Array<ArrayBuffer>> {
    const { chapters, partners } = this.#lists;
    const found = new Float64Array(chapters.length * partners.length * 24).fill(Number.NaN);
    await this.#each(
      `select c.n, p.n, flow = 'EXPORT', period % 100 - 1, ${EUR}
       from (select hs2, partner, flow, period, ${SUMS} from ${this.#database}.chapter_partners group by all)
         ${joined("chapters", "partners")}`,
      ([c, p, f, m, eur]) => {
        found[((c! * partners.length + p!) * 2 + f!) * 12 + m!] = eur!;
      },
    );
    return found;
  }

  /** Per reporter, chapter and flow, the year's suppressed codes: EUR. */
  async confidential(): Promise<Float64Array<ArrayBuffer>> {
    const { reporters, chapters } = this.#lists;
    const found = new Float64Array(reporters.length * chapters.length * 2);
    await this.#each(
      `select r.n, c.n, flow = 'EXPORT', ${EUR}
       from (
         select reporter, hs2, flow, ${SUMS} from ${this.#database}.totals where contains(product, 'X') group by all
       ) ${joined("reporters", "chapters")}`,
      ([r, c, f, eur]) => {
        found[(r! * chapters.length + c!) * 2 + f!] = eur!;
      },
    );
    return found;
  }

  /** Each row as numbers, null as NaN. */
  async #each(sql: string, take: (row: number[]) => void): Promise<void> {
    const values = (codes: readonly string[]) =>
      codes.length === 0
        ? "(select '' as code, 0 as n where false)"
        : `(values ${codes.map((code, n) => `(${literal(code)}, ${n})`).join(", ")})`;
    const { reporters, chapters, partners } = this.#lists;
    const result = await this.#connection.stream(
      `with r(code, n) as ${values(reporters)}, c(code, n) as ${values(chapters)}, p(code, n) as ${values(partners)} ${sql}`,
    );
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) return;
      const columns = Array.from({ length: chunk.columnCount }, (_, at) => chunk.getColumnVector(at));
      const row = new Array<number>(columns.length);
      for (let at = 0; at < chunk.rowCount; at++) {
        for (let column = 0; column < columns.length; column++) {
          const value = columns[column]!.getItem(at);
          row[column] = value === null ? Number.NaN : Number(value);
        }
        take(row);
      }
    }
  }
}

const PIECE = 1 << 16;

const joins = {
  reporters: "join r on r.code = reporter",
  chapters: "join c on c.code = hs2",
  partners: "join p on p.code = partner",
};
const joined = (...lists: (keyof typeof joins)[]) => lists.map((list) => joins[list]).join(" ");

function joinedUp<Numbers extends Float64Array | Uint16Array>(
  pieces: Numbers[],
  made: new (length: number) => Numbers,
): Numbers {
  const all = new made(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece as never, at);
    at += piece.length;
  }
  return all;
}

function grams(mass: number): number {
  if (mass >= MOST_GRAMS) throw new NotRolledUp();
  return mass;
}
