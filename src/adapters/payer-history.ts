/**
 * Remembers payers whose payments failed on the chain. A failure costs gas, so the payer is barred: a wallet
 * without code for an hour, one with code for good. Wallets of the same code are barred too, unless they paid
 * before.
 */
import { createHash } from "node:crypto";
import type pg from "pg";
import type { Hex } from "../core/model/chain.ts";
import type { Clock } from "../core/model/ports/clock.ts";

/** `code`: set for a contract wallet. */
export type Payer = { address: Hex; code: Hex | undefined };

export type PayerHistory = {
  /** Why the payer is barred; undefined if it is not. */
  barred(payer: Payer): Promise<string | undefined>;
  /**
   * A payment of this payer failed on the chain; `valid_before` in seconds. A wallet without code is not barred for
   * an expired payment.
   */
  failed(payer: Payer, valid_before: number): Promise<void>;
  /** Called for contract wallets only: a wallet that paid stays allowed when another of its code fails. */
  carried(payer: Payer): Promise<void>;
};

type Entry = { has_carried: boolean; failed_at: number | undefined; is_code: boolean };

/** A wallet without code may have enough balance later. */
const PLAIN_MS = 3_600_000;

const REFRESH_MS = 2_000;

const codeName = (code: Hex) => `code:${createHash("sha256").update(code).digest("hex")}`;

const REMEDY =
  "pay from another wallet without code, or carry this authorization to the chain yourself and present it again";

function barredBy(entries: ReadonlyMap<string, Entry>, { address, code }: Payer, now: number) {
  const own = entries.get(address);
  if (own?.failed_at !== undefined && (own.is_code || now - own.failed_at < PLAIN_MS))
    return `a payment of ${address} failed on the chain ${own.is_code ? "before" : "within the hour"}: ${REMEDY}`;
  if (code === undefined || own?.has_carried) return undefined;
  if (entries.get(codeName(code))?.failed_at === undefined) return undefined;
  return `a payment of a wallet of the same code failed on the chain: ${REMEDY}`;
}

const isLate = ({ code }: Payer, valid_before: number, now: number) =>
  code === undefined && valid_before * 1_000 <= now;

const namesOf = ({ address, code }: Payer) => (code === undefined ? [address] : [address, codeName(code)]);

/** History of this process alone. */
export function ownPayerHistory(now: () => number = Date.now): PayerHistory {
  const entries = new Map<string, Entry>();
  return {
    barred: async (payer) => barredBy(entries, payer, now()),
    failed: async (payer, valid_before) => {
      if (isLate(payer, valid_before, now())) return;
      for (const name of namesOf(payer))
        entries.set(name, {
          has_carried: entries.get(name)?.has_carried ?? false,
          failed_at: now(),
          is_code: payer.code !== undefined,
        });
    },
    carried: async ({ address }) => {
      const entry = entries.get(address);
      entries.set(address, { failed_at: undefined, is_code: true, ...entry, has_carried: true });
    },
  };
}

type Row = { name: string; carried: boolean; failed_ms: number | null; is_code: boolean; noted: string };

/** Shared by all processes of a database: each reads changes every two seconds, so a payment needs no query. */
export function payerHistory(pool: pg.Pool, network: string, clock: Clock): PayerHistory {
  const now = () => clock.now().getTime();
  const entries = new Map<string, Entry>();
  let noted = "-infinity";
  let refreshed_at = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    refreshed_at = performance.now();
    // A commit may be later than its timestamp, so the last ten seconds are read again.
    const { rows } = await pool.query<Row>({
      name: "payer_history",
      text: `select name, carried_at is not null as carried, extract(epoch from failed_at) * 1000 as failed_ms, is_code,
                    noted_at::text as noted
               from chain.payer_history
              where network = $1 and noted_at > $2::timestamptz - interval '10 s' order by noted_at`,
      values: [network, noted],
    });
    for (const row of rows) {
      const failed_at = row.failed_ms === null ? undefined : Number(row.failed_ms);
      entries.set(row.name, { has_carried: row.carried, failed_at, is_code: row.is_code });
      noted = row.noted;
    }
  }

  /** Without the database, the cached history counts. */
  async function current(): Promise<void> {
    if (performance.now() - refreshed_at < REFRESH_MS) return refreshing;
    refreshing ??= refresh()
      .catch(() => undefined)
      .finally(() => {
        refreshing = undefined;
      });
    await refreshing;
  }

  const note = async (names: readonly string[], is_code: boolean, column: "carried_at" | "failed_at") => {
    // A success says nothing about an earlier failed payment.
    const merged = column === "failed_at" ? "h.is_code or excluded.is_code" : "h.is_code";
    await pool.query(
      `insert into chain.payer_history as h (network, name, is_code, ${column})
         select $1, name, $3, clock_timestamp() from unnest($2::text[]) as t (name) order by name
       on conflict (network, name) do update
         set ${column} = excluded.${column}, is_code = ${merged}, noted_at = clock_timestamp()`,
      [network, names, is_code],
    );
  };

  return {
    barred: async (payer) => {
      await current();
      return barredBy(entries, payer, now());
    },
    failed: async (payer, valid_before) => {
      if (isLate(payer, valid_before, now())) return;
      for (const name of namesOf(payer))
        entries.set(name, {
          has_carried: entries.get(name)?.has_carried ?? false,
          failed_at: now(),
          is_code: payer.code !== undefined,
        });
      await note(namesOf(payer), payer.code !== undefined, "failed_at").catch(() => undefined);
    },
    carried: async ({ address }) => {
      if (entries.get(address)?.has_carried) return;
      await note([address], true, "carried_at").catch(() => undefined);
    },
  };
}
