/** The signals of front-running; a later week replaces what an earlier one reported. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import * as frontRun from "../../domain/reports/front-run.ts";

export const frontRunProjection = projection({
  name: "front_run",
  version: 2,
  ddl: `
    create table if not exists read.front_run_signals_v2 (
      signal_id      text primary key,
      policy_date    date not null,
      hs_code        text not null,
      spike_multiple double precision not null,
      confidence     double precision,
      week           date not null,
      vintage        text not null,
      synthetic      boolean not null,
      codes          jsonb
    );
    create index if not exists front_run_signals_v2_policy on read.front_run_signals_v2 (policy_date);`,
  of: [frontRun],
  async fold(events, tx) {
    for (const { data } of events)
      for (const one of data.signals)
        await tx.query(
          `insert into read.front_run_signals_v2 values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict (signal_id) do update set spike_multiple = excluded.spike_multiple, confidence = excluded.confidence,
             week = excluded.week, vintage = excluded.vintage, synthetic = excluded.synthetic, codes = excluded.codes`,
          [
            one.signal_id,
            one.policy_date,
            one.hs_code,
            one.spike_multiple,
            one.confidence,
            data.week,
            data.vintage,
            data.synthetic,
            one.codes ? JSON.stringify(one.codes) : null,
          ],
        );
  },
});

export type SignalRow = {
  signal_id: string;
  policy_date: string;
  hs_code: string;
  spike_multiple: number;
  confidence: number | null;
  week: string;
  vintage: string;
  synthetic: boolean;
  codes?: string[];
};

/** `hs`: of this product, or of one that it is part of or has as a part. `allow_synthetic` includes invented signals. */
export type SignalQuery = {
  since: string | undefined;
  hs: string | undefined;
  limit: number;
  allow_synthetic: boolean;
};

/** The largest spikes, of policies since a day where one is given. */
export async function frontRunSignals(
  pool: pg.Pool,
  { since, hs, limit, allow_synthetic }: SignalQuery,
): Promise<SignalRow[]> {
  const { rows } = await pool.query<Omit<SignalRow, "codes"> & { codes: string[] | null }>(
    `select signal_id, policy_date::text, hs_code, spike_multiple, confidence, week::text, vintage, synthetic, codes
     from read.front_run_signals_v2
     where ($1::date is null or policy_date >= $1::date) and ($3 or not synthetic)
       and ($4::text is null or starts_with(hs_code, $4) or starts_with($4, hs_code))
     order by spike_multiple desc, signal_id limit $2`,
    [since ?? null, limit, allow_synthetic, hs ?? null],
  );
  return rows.map(({ codes, ...row }) => ({ ...row, ...(codes && { codes }) }));
}
