/**
 * Counts the model's tokens per UTC day, for all processes. Tokens are reserved before a request, and unused ones
 * returned.
 */
import type pg from "pg";
import type { Clock } from "../core/model/ports/clock.ts";

export type ModelTokens = {
  /** Reserves `count` tokens of the day, or none if fewer remain. The returned function releases unused ones. */
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
