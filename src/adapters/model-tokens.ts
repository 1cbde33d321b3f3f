/** Tokens of a model by UTC day, counted once for all processes: they are taken before it is asked, and what was not used is given back. */
import type pg from "pg";
import type { Clock } from "../core/model/ports/clock.ts";

export type ModelTokens = {
  /** Takes so many of the day's, or none where they are more than is left. The answer gives back what was not used. */
  take(count: number): Promise<((used: number) => Promise<void>) | undefined>;
};

export function createModelTokens(pool: pg.Pool, clock: Clock, daily: number): ModelTokens {
  return {
    async take(count) {
      const day = clock.now().toISOString().slice(0, 10);
      const { rowCount } = await pool.query({
        name: "take_model_tokens",
        text: `insert into access.model_tokens (day, tokens) select $1::date, $2::bigint where $2::bigint <= $3::bigint
          on conflict (day) do update set tokens = model_tokens.tokens + $2::bigint
          where model_tokens.tokens + $2::bigint <= $3::bigint`,
        values: [day, count, daily],
      });
      if (rowCount === 0) return undefined;
      return async (used) => {
        await pool.query({
          name: "give_back_model_tokens",
          text: "update access.model_tokens set tokens = tokens - $2 where day = $1",
          values: [day, count - used],
        });
      };
    },
  };
}
