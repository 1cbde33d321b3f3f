/** Delays between attempts of a failed delivery. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterFailure,
  BACKOFF_S,
  type Failure,
  JITTER,
  retryAfterSeconds,
} from "../../src/domain/webhooks/backoff.ts";
import { AT, failure } from "./histories.ts";

describe("the pause before the next attempt", () => {
  const secondsOf = (attempt: number, of: Failure, chance = 0) => {
    const next = afterFailure(attempt, of, chance, AT);
    return next.kind === "again" ? (Date.parse(next.at) - Date.parse(AT)) / 1000 : next.kind;
  };
  test("is lengthened at random, never shortened", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, chance) => {
          const pause = BACKOFF_S[attempt - 1]!;
          const seconds = Number(secondsOf(attempt, failure, chance));
          expect(seconds).toBeGreaterThanOrEqual(pause);
          expect(seconds).toBeLessThanOrEqual(pause * (1 + JITTER));
        },
      ),
    );
  });
  test.each([
    [429, 60, 60],
    [503, 60, 60],
    [503, 1, 5],
    [429, 10_000_000, 86_400],
    [500, 60, 5],
    [null, 60, 5],
  ])("after status %s with a Retry-After of %i s is %i s", (status, retry_after_s, expected) => {
    expect(secondsOf(1, { status, reason: "", retry_after_s })).toBe(expected);
  });
  test.each([
    [undefined, null],
    ["120", 120],
    [" 7 ", 7],
    ["Sat, 21 Nov 2026 12:01:30 GMT", 90],
    ["Sat, 21 Nov 2026 11:00:00 GMT", 0],
    ["soon", null],
  ])("is read from the Retry-After %s", (header, expected) => {
    expect(retryAfterSeconds(header, new Date(AT))).toBe(expected);
  });
});
