/** Quotas count admitted calls in two windows at once: the UTC day and the UTC calendar month. */
import type { Limits, Usage } from "../../core/model/ports/quotas.ts";

/** `2026-11-21` and `2026-11` of an instant. */
export const windowsOf = (at: Date) => ({
  day: at.toISOString().slice(0, 10),
  month: at.toISOString().slice(0, 7),
});

export type QuotaWindow = {
  name: "daily" | "monthly";
  limit: number;
  remaining: number;
  reset_s: number;
  window_s: number;
};

/** Both windows of a key that has them, the tighter first, for the RateLimit headers. */
export function quotaWindows(limits: Limits, usage: Usage, at: Date): QuotaWindow[] {
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1);
  const monthEnd = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
  const monthStart = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
  const until = (end: number) => Math.max(1, Math.ceil((end - at.getTime()) / 1000));
  const windows: QuotaWindow[] = [];
  if (limits.daily !== null) {
    const remaining = Math.max(0, limits.daily - usage.day_used);
    windows.push({
      name: "daily",
      limit: limits.daily,
      remaining,
      reset_s: until(midnight),
      window_s: 86_400,
    });
  }
  if (limits.monthly !== null) {
    const remaining = Math.max(0, limits.monthly - usage.month_used);
    const window_s = (monthEnd - monthStart) / 1000;
    windows.push({ name: "monthly", limit: limits.monthly, remaining, reset_s: until(monthEnd), window_s });
  }
  return windows.sort((a, b) => a.remaining - b.remaining);
}
