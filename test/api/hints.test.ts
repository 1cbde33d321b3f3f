/** The hint in an answer to an unknown path. */
import { expect, test } from "vitest";
import { hintsOf } from "../../src/api/transports/hints.ts";
import { catalogue } from "../support/catalogue.ts";

const hint = hintsOf(catalogue);

test.each([
  // A path that ends too soon, even if another path's parameter would take its last word.
  ["GET", "/v1/agent/trade/alerts/status", "it needs /{id}: GET /v1/agent/trade/alerts/status/{id}"],
  ["GET", "/v1/agent/payments/", "it needs /{id}: GET /v1/agent/payments/{id}"],
  ["GET", "/api/v1/agent/checks/verify", "it needs /{check_id}: GET /api/v1/agent/checks/verify/{check_id}"],
  // Another method.
  ["GET", "/v1/agent/rng/roll", "call POST /v1/agent/rng/roll"],
  ["PUT", "/v1/agent/trade/balance", "call GET /v1/agent/trade/balance"],
  // A typo, and a former prefix.
  ["GET", "/v1/agent/trade/top-partner", "did you mean GET /v1/agent/trade/top-partners?"],
  ["GET", "/v1/agent/trade/alerts/staus/5f", "did you mean GET /v1/agent/trade/alerts/status/{id}?"],
  ["GET", "/trade/source-concentration", "did you mean GET /v1/agent/trade/source-concentration?"],
])("%s %s gets the hint: %s", (method, path, answer) => {
  expect(hint(method, path)).toBe(answer);
});

test("an unrelated or endless path gets no hint", () => {
  expect(hint("GET", "/wp-login.php")).toBeUndefined();
  expect(hint("GET", "/")).toBeUndefined();
  expect(hint("GET", `/v1/agent/trade/balance${"x".repeat(10_000)}`)).toBeUndefined();
});
