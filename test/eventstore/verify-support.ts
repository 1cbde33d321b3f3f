import type { VerifyReport } from "../../eventstore/verify/report.ts";
import { type VerifyExportOptions, verifyExport } from "../../eventstore/verify/verify-export.ts";

/** Verifies text or bytes, cut into chunks of `size` bytes. */
export function verifyBytes(
  content: Uint8Array | string,
  options: VerifyExportOptions = {},
  size = 65_536,
): Promise<VerifyReport> {
  const bytes = Buffer.from(content as string);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return verifyExport(chunks(), options);
}

export function verifyLines(lines: string[], options: VerifyExportOptions = {}): Promise<VerifyReport> {
  return verifyBytes(`${lines.join("\n")}\n`, options);
}

/** The verdicts that failed by a fault of their own, and their first bad position. */
export function failures(report: VerifyReport): Record<string, number> {
  return Object.fromEntries(
    report.verdicts.filter((v) => !v.ok && v.judged !== false).map((v) => [v.name, v.first_bad ?? -1]),
  );
}
