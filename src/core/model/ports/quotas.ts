export type Limits = { daily: number | null; monthly: number | null };

export type Usage = { day_used: number; month_used: number };

export type QuotaKey = { key_id: string } & Limits;

export type QuotaResult = { granted: boolean; usage: Usage };

export type Quotas = {
  /** Counts one call in both windows. If either of them is used up, counts nothing. */
  take(key: QuotaKey): Promise<QuotaResult>;
};
