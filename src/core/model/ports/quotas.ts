export type Limits = { daily: number | null; monthly: number | null };

export type Usage = { day_used: number; month_used: number };

export type QuotaKey = { key_id: string } & Limits;

export type QuotaResult = { granted: boolean; usage: Usage };

export type Quotas = {
  /** Counts one call against both windows, unless one is used up. */
  take(key: QuotaKey): Promise<QuotaResult>;
};
