/** Conditions of requests (RFC 9110, 13). Conditions on dates are ignored, because answers have no date of a change. */
import { coreProblems } from "../../core/model/problem.ts";
import { refuse } from "../../core/model/refusal.ts";

/**
 * If-None-Match: compares weakly (13.1.2), because clients or caches may have dropped the `W/`. `etag` is "" for an
 * answer without one.
 */
export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" ||
    (etag !== "" &&
      header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.replace(/^W\//, ""))));

/**
 * If-Match compares strongly (13.1.1), and only files have a strong ETag. Otherwise a write would ignore the version
 * that its caller depends on.
 */
export function refuseUnmatched(header: string | undefined): void {
  if (header === undefined || header.trim() === "*") return;
  refuse(
    coreProblems["precondition-failed"],
    "this resource has no ETag for If-Match: omit If-Match; nothing was done or charged",
  );
}
