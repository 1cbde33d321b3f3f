export type Limits = { daily: number | null; monthly: number | null };

export type Usage = { day_used: number; month_used: number };

export type QuotaKey = { key_id: string } & Limits;

export type QuotaResult = { granted: boolean; usage: Usage };

export type Quotas = {
  /** Counts one call against both windows. If one of them is used up, it counts nothing. */
  take(key: QuotaKey): Promise<QuotaResult>;
};
