/**
 * Duration of a search of the stack in Postgres: by a rare word, a common one, two words, a phrase, an unknown
 * word, by price and by trust, over items with a Zipf distribution of words. The rows bypass the log, because only
 * the query is measured.
 *
 *     npx tsx bench/market.ts [--items 1000000] [--each 200]
 */
import { parseArgs } from "node:util";
import { openPool } from "../eventstore/pool.ts";
import { stackProjection } from "../src/projections/marketplace/stack.ts";
import { listItems, type StackSearch } from "../src/projections/marketplace/stack-lists.ts";
import { ranksDdl } from "../src/projections/trust/ranks.ts";
import { withDatabase } from "./load.ts";

const { values } = parseArgs({
  options: { items: { type: "string", default: "1000000" }, each: { type: "string", default: "200" } },
});
const ITEMS = Number(values.items);
const EACH = Number(values.each);
const AUTHORS = 10_000;
/** Rows per statement. */
const AT_ONCE = 20_000;

const any: StackSearch = {
  q: null,
  kind: null,
  sx: null,
  max_price_micro: null,
  min_score: 0,
  sort: "newest",
  limit: 21,
  after: null,
};

/** Word n is in some 0.74 / n of the items; there are 50,000. */
const questions: Record<string, (n: number) => Partial<StackSearch>> = {
  "nothing asked": () => ({}),
  "a rare word": (n) => ({ q: `word${20_000 + n}` }),
  "a common word": (n) => ({ q: `word${3 + (n % 5)}` }),
  "two words, one of them common": (n) => ({ q: `word4 word${5_000 + n}` }),
  "two common words": (n) => ({ q: `word${3 + (n % 3)} word${7 + (n % 3)}` }),
  "a phrase": (n) => ({ q: `"word${3 + (n % 5)} word${9 + (n % 5)}"` }),
  "a word that nobody wrote": (n) => ({ q: `nobody${n}` }),
  "a common word, the cheapest first": (n) => ({ q: `word${3 + (n % 5)}`, sort: "price" }),
  "a rare word, the cheapest first": (n) => ({ q: `word${20_000 + n}`, sort: "price" }),
  "a common word, by trust": (n) => ({ q: `word${3 + (n % 5)}`, sort: "trust" }),
  "a rare word, by trust": (n) => ({ q: `word${20_000 + n}`, sort: "trust" }),
  "a common word of authors with 20 points": (n) => ({ q: `word${3 + (n % 5)}`, min_score: 20_000_000 }),
};

await withDatabase(async ({ DATABASE_URL }) => {
  const pool = openPool(DATABASE_URL!);
  try {
    await pool.query("create schema if not exists read");
    await pool.query(ranksDdl);
    await pool.query(stackProjection.ddl);
    // Random numbers, the same each time.
    await pool.query("select setseed(0.5)");
    for (let from = 1; from <= ITEMS; from += AT_ONCE)
      await pool.query(
        `insert into read.stack_v1 (item_id, position, sx, kind, title, summary, text_sha256, content_sha256, price_micro, listed, published_at)
         select lpad(to_hex(n), 32, '0'), n, 1 + (random() * ${AUTHORS})::int, 'note', w.words, w.words, '', '', (1000 + random() * 1e8)::bigint, true, now()
         from generate_series($1::int, $2::int) n, lateral (
           select string_agg('word' || floor(power(50000, random()))::int, ' ') as words from generate_series(1, 8) g where n + g > 0
         ) w`,
        [from, Math.min(ITEMS, from + AT_ONCE - 1)],
      );
    await pool.query(
      `insert into read.trust_ranks_v3 (sx, score, valid_from) select n, (random() * 1e8)::bigint, 0 from generate_series(1, ${AUTHORS}) n`,
    );
    await pool.query("vacuum analyze read.stack_v1");
    await pool.query("analyze read.trust_ranks_v3");
    console.log(`${ITEMS} items of ${AUTHORS} authors; ${EACH} questions each`);
    const answer: Record<string, object> = {};
    for (const [name, of] of Object.entries(questions)) {
      const taken: number[] = [];
      let found = 0;
      for (let n = 0; n < EACH; n++) {
        const begun = performance.now();
        found += (await listItems(pool, { ...any, ...of(n) })).length;
        taken.push(performance.now() - begun);
      }
      taken.sort((a, b) => a - b);
      const at = (share: number) => taken[Math.floor(share * (taken.length - 1))]!.toFixed(2);
      answer[name] = { "p50 ms": at(0.5), "p95 ms": at(0.95), "rows a page": (found / EACH).toFixed(1) };
    }
    console.table(answer);
  } finally {
    await pool.end();
  }
});
