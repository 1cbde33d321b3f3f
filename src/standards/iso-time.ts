/**
 * Reads times in the forms of ISO 8601: extended or basic, with a decimal point or comma, by month, by week or by day
 * of the year.
 */
import { z } from "zod";

const EXTENDED =
  /^(\d{4})-(?:(\d\d)-(\d\d)|W(\d\d)-([1-7])|(\d{3}))T(\d\d)(?::(\d\d)(?::(\d\d))?)?(?:[.,](\d+))?(Z|[+\u2212-]\d\d(?::\d\d)?)$/i;
const BASIC =
  /^(\d{4})(?:(\d\d)(\d\d)|W(\d\d)([1-7])|(\d{3}))T(\d\d)(?:(\d\d)(?:(\d\d))?)?(?:[.,](\d+))?(Z|[+\u2212-]\d\d(?:\d\d)?)$/i;

const DAY_MS = 86_400_000;
const HOUR_US = 3_600_000_000n;

/** Microseconds since 1970, rounded up; undefined if the text is not a time with a zone. */
export function microsecondsOf(text: string): number | undefined {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (!match) return undefined;
  const [, year, month, day, week, weekday, dayOfYear, hour, minute, second, fraction = "", zone = "Z"] =
    match;
  const date =
    month !== undefined
      ? dayOfMonth(Number(year), Number(month), Number(day))
      : week !== undefined
        ? dayOfWeek(Number(year), Number(week), Number(weekday))
        : dayInYear(Number(year), Number(dayOfYear));
  const [hours, minutes, seconds] = [hour, minute, second].map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
  ];
  const isMidnight = hours === 24 && minutes === 0 && seconds === 0 && !/[1-9]/.test(fraction);
  // A leap second is the last second of its day. Here it is the first moment of the next day, as in POSIX.
  if (
    date === undefined ||
    (hours > 23 && !isMidnight) ||
    minutes > 59 ||
    seconds > (minutes === 59 ? 60 : 59)
  )
    return undefined;
  const offset = offsetOf(zone);
  if (offset === undefined) return undefined;
  // A decimal fraction belongs to the smallest unit in the text.
  const unit = second !== undefined ? 1_000_000n : minute !== undefined ? 60_000_000n : HOUR_US;
  const digits = fraction.slice(0, 30);
  const scale = 10n ** BigInt(digits.length);
  const finer = digits === "" ? 0n : (BigInt(digits) * unit + scale - 1n) / scale;
  const whole = BigInt(date) * 1_000n + BigInt((hours * 60 + minutes - offset) * 60 + seconds) * 1_000_000n;
  return Number(whole + finer);
}

function dayOfMonth(year: number, month: number, day: number): number | undefined {
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? at.getTime() : undefined;
}

function dayInYear(year: number, day: number): number | undefined {
  const at = new Date(0);
  at.setUTCFullYear(year, 0, day);
  return day > 0 && at.getUTCFullYear() === year ? at.getTime() : undefined;
}

/** The first week of a year contains the fourth of January; a year has 52 or 53 weeks. */
function dayOfWeek(year: number, week: number, weekday: number): number | undefined {
  const monday = (of: number) => {
    const fourth = dayOfMonth(of, 1, 4)!;
    return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  };
  const at = monday(year) + ((week - 1) * 7 + weekday - 1) * DAY_MS;
  return week > 0 && at < monday(year + 1) ? at : undefined;
}

/** The offset in minutes. ISO 8601 has no offset of -00:00. */
function offsetOf(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(":", "") || 0)];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("+") ? 1 : -1) * (hours * 60 + minutes);
}

export const ISO_TIME =
  "is an ISO 8601 time with its zone, such as 2026-01-31T00:00:00Z; a + in a URL is written %2B";

/** A time in any form of ISO 8601. */
export const isoTime = z
  .string(ISO_TIME)
  .max(64, ISO_TIME)
  .refine((text) => microsecondsOf(text) !== undefined, ISO_TIME);
