/** Readers of times, mail addresses and byte ranges, by the examples and the limits of their standards. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteRanges, matchesStrongly } from "../../src/api/transports/byte-ranges.ts";
import { microsecondsOf } from "../../src/standards/iso-time.ts";
import { isMailAddress, mailboxName, mailboxNames } from "../../src/standards/mail-address.ts";

const EIGHT = Date.UTC(2026, 0, 31, 8) * 1_000;

describe("a time of ISO 8601", () => {
  test.each([
    ["2026-01-31T08:00:00Z", 0],
    ["2026-01-31t08:00:00z", 0],
    ["2026-01-31T08:00Z", 0],
    ["2026-01-31T08Z", 0],
    ["20260131T080000Z", 0],
    ["20260131T0800Z", 0],
    ["2026-01-31T10:00:00+02:00", 0],
    ["2026-01-31T10:00:00+02", 0],
    ["20260131T100000+0200", 0],
    ["2026-01-31T04:30:00-03:30", 0],
    ["2026-01-31T04:30:00−03:30", 0],
    ["2026-W05-6T08:00:00Z", 0],
    ["2026W056T080000Z", 0],
    ["2026-031T08:00:00Z", 0],
    ["2026031T080000Z", 0],
    ["2026-01-31T08:00:00.5Z", 500_000],
    ["2026-01-31T08:00:00,25Z", 250_000],
    ["2026-01-31T08:00:00.0000001Z", 1],
    ["2026-01-31T08:00.5Z", 30_000_000],
    ["2026-01-31T08,5Z", 1_800_000_000],
    ["2026-01-31T24:00:00Z", 16 * 3_600_000_000],
  ])("%s is parsed", (text, after) => {
    expect(microsecondsOf(text)).toBe(EIGHT + after);
  });

  test("a leap second is the first moment of the next day", () => {
    expect(microsecondsOf("2016-12-31T23:59:60Z")).toBe(microsecondsOf("2017-01-01T00:00:00Z"));
  });

  test.each([
    "2026-01-31",
    "2026-01-31T08:00:00",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-366T00:00:00Z",
    "2026-000T00:00:00Z",
    "2025-W53-1T00:00:00Z",
    "2026-W00-1T00:00:00Z",
    "2026-01-31T25:00:00Z",
    "2026-01-31T24:00:01Z",
    "2026-01-31T08:60:00Z",
    "2026-01-31T08:00:60Z",
    "2026-01-31T08:00:00+24:00",
    "2026-01-31T0800:00Z",
    "2026-0131T08:00:00Z",
    "2026-01-31 08:00:00Z",
    "Sat, 31 Jan 2026 08:00:00 GMT",
    "",
  ])("%j is refused", (text) => {
    expect(microsecondsOf(text)).toBeUndefined();
  });

  test("every time that JavaScript writes is parsed to the same moment", () => {
    const years = { min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(years), (date) => microsecondsOf(date.toISOString()) === date.getTime() * 1_000),
    );
  });
});

describe("a mail address", () => {
  test.each([
    "simple@example.com",
    "very.common+tag@example.co.uk",
    "o'brien@example.ie",
    "x@e.com",
    "a/b=c{d}@example.com",
    '"john doe"@example.com',
    '"a\\"b@c"@example.com',
    "user@[192.0.2.1]",
    "user@[IPv6:2001:db8::1]",
    "jānis@piemērs.lv",
    "用户@例え.jp",
    "user@xn--bcher-kva.example",
    `${"a".repeat(64)}@example.com`,
    `a@${"b".repeat(63)}.com`,
  ])("%s is accepted", (text) => {
    expect(isMailAddress(text)).toBe(true);
  });

  test.each([
    "",
    "@",
    "plain",
    "@example.com",
    "a@",
    "a@localhost",
    ".a@example.com",
    "a.@example.com",
    "a..b@example.com",
    "a b@example.com",
    "a@b@example.com",
    'a"b@example.com',
    "a@-example.com",
    "a@example-.com",
    "a@exa mple.com",
    "a@example..com",
    "a@example.com.",
    "a@192.0.2.1",
    "a@[192.0.2.256]",
    "a@[IPv6:zz]",
    "a@example.com\r\nBcc: b@example.com",
    "a@exa\u200bmple.com",
    `${"a".repeat(65)}@example.com`,
    `a@${"b".repeat(64)}.com`,
    `${"a".repeat(60)}@${"b.".repeat(110)}com`,
  ])("%j is refused", (text) => {
    expect(isMailAddress(text)).toBe(false);
  });

  test.each([
    ["Anna@Example.ORG", "anna@example.org"],
    [" anna@example.org ", "anna@example.org"],
    ["anna@Bücher.example", "anna@xn--bcher-kva.example"],
    ["anna@xn--bcher-kva.example", "anna@xn--bcher-kva.example"],
    ['"A @ b"@example.org', '"a @ b"@example.org'],
    ["user@[IPv6:2001:DB8::1]", "user@[ipv6:2001:db8::1]"],
    ["ja\u0304nis@example.org", "jānis@example.org"],
    ["no mailbox", "no mailbox"],
  ])("%j names the mailbox %j", (text, name) => {
    expect(mailboxName(text)).toBe(name);
  });
});

test.each([
  ["anna@example.org", ["anna@example.org"]],
  ["Anna@Bücher.example", ["anna@xn--bcher-kva.example", "anna@bücher.example"]],
  ["anna@XN--bcher-kva.example", ["anna@xn--bcher-kva.example", "anna@bücher.example"]],
  ["anna@[192.0.2.1]", ["anna@[192.0.2.1]"]],
  ["no mailbox", ["no mailbox"]],
])("%j may have been stored as %j", (text, names) => {
  expect(mailboxNames(text)).toEqual(names);
});

describe("a byte range of 1,000 bytes (RFC 9110, 14.1.2)", () => {
  test.each([
    ["bytes=0-499", [[0, 499]]],
    ["bytes=500-", [[500, 999]]],
    ["bytes=-500", [[500, 999]]],
    ["bytes=-5000", [[0, 999]]],
    ["bytes=0-99999999999999999999", [[0, 999]]],
    ["Bytes = 999-999", [[999, 999]]],
    [
      "bytes=0-0,-1",
      [
        [0, 0],
        [999, 999],
      ],
    ],
    ["bytes=500-600, 601-999", [[500, 999]]],
    ["bytes=500-700,,601-650", [[500, 700]]],
    ["bytes=10-19, 0-9, 2000-", [[0, 19]]],
    ["bytes=1000-", []],
    ["bytes=-0", []],
    ["bytes=1000-1001, 5000-", []],
  ])("%s gets its ranges", (header, ranges) => {
    expect(byteRanges(header, 1_000)).toEqual(ranges.map(([from, to]) => ({ from, to })));
  });

  test.each([
    undefined,
    "",
    "bytes=",
    "bytes=,",
    "bytes=-",
    "bytes=5-2",
    "bytes=a-b",
    "bytes=0-1e3",
    "bytes=+1-5",
    "chars=0-9",
    `bytes=${Array.from({ length: 17 }, (_, at) => `${2 * at}-${2 * at}`).join(",")}`,
  ])("%j gets the whole file", (header) => {
    expect(byteRanges(header, 1_000)).toBeUndefined();
  });

  test("of an empty file does not exist", () => {
    expect(byteRanges("bytes=0-", 0)).toEqual([]);
    expect(byteRanges("bytes=-5", 0)).toEqual([]);
  });

  test("of a weak ETag is not granted", () => {
    expect(['"a"', '"b", "a"', "*"].map((header) => matchesStrongly(header, '"a"'))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['W/"a"', '"b"', "a", ""].map((header) => matchesStrongly(header, '"a"'))).toEqual(
      Array(4).fill(false),
    );
  });
});
