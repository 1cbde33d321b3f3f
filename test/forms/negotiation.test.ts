import { describe, expect, test } from "vitest";
import { z } from "zod";
import { open } from "../../src/api/declare/access/open.ts";
import { chosenForm, formHeaders, formsOf } from "../../src/api/declare/forms/form.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json, text } from "../../src/api/declare/output.ts";
import type { Refusal } from "../../src/core/model/refusal.ts";

const meta = z.object({
  dataset: z.string(),
  vintage: z.string(),
  synthetic: z.boolean(),
  source: z.string(),
});
const answer = z.object({ data: z.array(z.object({ year: z.int() })), meta });
const chart = () => ({ kind: "bar" as const, title: "", x: [], series: [], unit: "EUR", notes: [] });
const of = (output: ReturnType<typeof json>) =>
  operation({
    name: "many_forms",
    route: "GET /v1/agent/forms",
    summary: "Forms",
    description: "Forms.",
    access: [open()],
    input: z.object({}),
    output,
    example: {},
    handle: async () => ({}),
  });

const all = of(json(answer, { table: "data", chart }));
const plain = of(json(answer));

test("an answer has the forms that it declares, JSON first", () => {
  expect(formsOf(plain)).toEqual(["application/json"]);
  expect(formsOf(of(json(answer, { table: "data" })))).toEqual([
    "application/json",
    "text/csv",
    "application/vnd.apache.parquet",
  ]);
  expect(formsOf(of(json(answer, { chart })))).toEqual(["application/json", "image/png", "image/svg+xml"]);
  expect(formsOf(of(text("as it stands")))).toEqual([]);
});

describe("Accept", () => {
  test.each([
    [undefined, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["application/*", "application/json"],
    ["text/csv", "text/csv"],
    ["TEXT/CSV", "text/csv"],
    ["text/*", "text/csv"],
    ["application/json;charset=UTF-8", "application/json"],
    ["text/csv; header=present", "text/csv"],
    ["image/png", "image/png"],
    ["image/svg+xml", "image/svg+xml"],
    ["application/vnd.apache.parquet", "application/vnd.apache.parquet"],
    // A browser sends these for a page and for a picture.
    ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "application/json"],
    ["image/avif,image/webp,image/png,image/svg+xml;q=0.9,*/*;q=0.5", "image/png"],
    ["image/*", "image/png"],
    ["application/json, text/plain, */*", "application/json"],
    // Quality counts before the order.
    ["text/csv;q=0.5, application/json", "application/json"],
    ["application/json;q=0.5, text/csv", "text/csv"],
    ["application/json;q=0, */*", "text/csv"],
    ["text/csv;q=0, text/*, image/png;q=0.1", "image/png"],
    // An exact name counts before a wildcard.
    ["*/*, text/csv", "text/csv"],
    ["text/csv, */*;q=0.1", "text/csv"],
    // Of two that are named alike, the first.
    ["text/csv, application/json", "text/csv"],
    ["application/json, text/csv", "application/json"],
  ])("%s is answered with %s", (accept, form) => {
    expect(chosenForm(all, accept)).toBe(form);
  });

  test.each([
    "text/html",
    "json",
    "application/json;q=0",
    "image/webp, text/xml",
    "text/csv; header=absent",
    ";;;",
  ])("%s is refused, and the error names the available forms", (accept) => {
    const refused = () => chosenForm(all, accept);
    expect(refused).toThrow(
      "application/json, text/csv, application/vnd.apache.parquet, image/png, image/svg+xml",
    );
    try {
      refused();
    } catch (error) {
      expect((error as Refusal).type.slug).toBe("not-acceptable");
    }
  });

  test("a form that an operation lacks is refused, with the operation's own list", () => {
    expect(() => chosenForm(plain, "text/csv")).toThrow(
      "available: application/json, but Accept accepts none",
    );
  });

  test("plain bytes have one form, whatever Accept names", () => {
    expect(chosenForm(of(text("as it stands")), "image/png")).toBe("application/json");
  });
});

test("headers name the type and a file name, and allow a drawing its style", () => {
  expect(formHeaders(all, "application/json")).toEqual({ "Content-Type": "application/json; charset=utf-8" });
  expect(formHeaders(all, "text/csv")).toEqual({
    "Content-Type": "text/csv; charset=utf-8; header=present",
    "Content-Disposition": 'attachment; filename="many-forms.csv"',
  });
  expect(formHeaders(all, "image/svg+xml")["Content-Security-Policy"]).toContain("style-src 'unsafe-inline'");
});
