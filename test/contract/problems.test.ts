/** Kinds of problems: each is declared by its area and listed everywhere, and no others exist. */
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { open } from "../../src/api/declare/access/open.ts";
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import { problemsText } from "../../src/api/describe/pages/problems.ts";
import { problemOfRefusal } from "../../src/api/serve/problem.ts";
import { areas } from "../../src/areas/index.ts";
import { coreProblems, type ProblemType, problemOfCode, problemTypes } from "../../src/core/model/problem.ts";
import { Refusal, refuse } from "../../src/core/model/refusal.ts";
import { checkProblems } from "../../src/domain/checks/problems.ts";
import { areaOf } from "../support/catalogue.ts";
import { type Service, startService } from "../support/service.ts";

const { problems } = catalogueOf(areas);
const root = fileURLToPath(new URL("../../", import.meta.url));

/** The TypeScript files of `src`, as paths from the root. */
const sources = (await readdir(`${root}src`, { recursive: true }))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => `src/${file}`)
  .sort();
const isDeclaring = (file: string) => /^src\/domain\/[a-z]+\/problems\.ts$/.test(file);

describe("the registry", () => {
  test("has every kind that a file declares", async () => {
    const files = sources.filter(isDeclaring);
    expect(files).toContain("src/domain/checks/problems.ts");
    for (const file of files) {
      const declared: Record<string, Record<string, ProblemType>> = await import(
        new URL(file, `file://${root}`).href
      );
      for (const type of Object.values(declared).flatMap((types) => Object.values(types)))
        expect(problems, `${type.slug} of ${file} is in no area of src/areas`).toContain(type);
    }
    for (const type of Object.values(coreProblems)) expect(problems).toContain(type);
  });

  test("is complete: no other file declares a kind", async () => {
    const declaring = [];
    for (const file of sources)
      if (/\bproblemTypes\(/.test(await readFile(root + file, "utf8"))) declaring.push(file);
    expect(declaring.filter((file) => !isDeclaring(file))).toEqual(["src/core/model/problem.ts"]);
  });

  test("refuses a second kind of the same name, and names that are not valid in a URL", () => {
    const withProblems = (names: string[]) => {
      const kinds = names.map((name) => [name, { code: "conflict", title: "t", meaning: "m" }] as const);
      return [...areas, { ...areaOf([]), problems: problemTypes(Object.fromEntries(kinds)) }];
    };
    expect(() => catalogueOf(withProblems(["check-not-pending"]))).toThrow(
      "test: there is a problem type check-not-pending already",
    );
    expect(() => catalogueOf(withProblems(["busy"]))).toThrow("there is a problem type busy already");
    expect(() => catalogueOf(withProblems(["Not_A_Slug"]))).toThrow("lower-case words with hyphens");
  });

  test("each code has the general kind of its name", () => {
    for (const [code, type] of Object.entries(problemOfCode))
      expect(type).toMatchObject({ code, slug: code.replaceAll("_", "-") });
  });
});

describe("a refusal", () => {
  test("has its own kind; a refusal by code alone has the general kind", () => {
    const typed = new Refusal(checkProblems["check-not-pending"], "it is redeemed");
    expect([typed.type, typed.code]).toEqual([checkProblems["check-not-pending"], "conflict"]);
    const general = new Refusal("not_found", "there is none");
    expect([general.type, general.code]).toEqual([coreProblems["not-found"], "not_found"]);
  });

  test("cannot be of an undeclared kind, nor of one that is not an error", () => {
    // @ts-expect-error A typo does not compile.
    const typo: unknown = checkProblems["check-not-pendin"];
    expect(typo).toBeUndefined();
    // @ts-expect-error What is wrong with us is never refused.
    const fault = () => refuse(coreProblems.internal, "no");
    expect(fault).toThrow(Refusal);
  });

  test("becomes a problem of its status and name", () => {
    const place = { public_url: "https://data.example", instance: "/v1/x" };
    for (const type of problems) {
      if (type.code === "internal" || type.code === "payment_required") continue;
      const { status, problem } = problemOfRefusal(
        new Refusal(type as ProblemType<typeof type.code>, "sentence"),
        place,
      );
      expect({ ...problem, status }).toMatchObject({
        status: type.status,
        type: `https://data.example/problems#${type.slug}`,
        title: type.title,
        detail: "sentence",
      });
    }
  });
});

test("a refusal's detail names the remedies of its fields, once", () => {
  const place = { public_url: "https://data.example", instance: "/v1/x" };
  const detailOf = (message: string, ...errors: { path: string; message: string }[]) =>
    problemOfRefusal(new Refusal("invalid", message, { errors }), place).problem;
  const error = { path: "url", message: "is an https address" };
  expect(detailOf("the URL is refused", error)).toMatchObject({
    detail: "the URL is refused: url is an https address",
    error: "the URL is refused: url is an https address",
    errors: [error],
  });
  expect(detailOf("url is an https address", error).detail).toBe("url is an https address");
  const many = ["a", "b", "c", "d"].map((path) => ({ path, message: `say ${path}` }));
  expect(detailOf("refused", ...many).detail).toBe("refused: a: say a; b: say b; c: say c");
});

test("the page lists every kind once, with its meaning", () => {
  const page = problemsText(problems);
  for (const { slug, status, title, meaning } of problems)
    expect(page.split(`## ${slug}\n\n${status} ${title}. ${meaning}\n`)).toHaveLength(2);
});

describe("a kind of an area's own", () => {
  const own = problemTypes({
    "kettle-cold": { code: "conflict", status: 410, title: "Cold kettle", meaning: "Heat it first." },
  });
  const boil = operation({
    name: "test_boil",
    route: "GET /v1/agent/test/boil",
    summary: "Boils",
    description: "Boils water.",
    access: [open()],
    input: z.object({}),
    output: json(z.object({ hot: z.boolean() })),
    refuses: [410],
    example: {},
    handle: async () => refuse(own["kettle-cold"], "the kettle is cold"),
  });
  let service: Service;
  beforeAll(async () => {
    service = await startService({ areas: [...areas, { ...areaOf([boil]), problems: own }] });
  });
  afterAll(() => service?.stop());

  const request = async (path: string) => {
    const response = await fetch(service.url + path, {
      headers: { Accept: "application/json, text/markdown" },
    });
    return { status: response.status, text: await response.text() };
  };

  test("is answered, listed and described", async () => {
    const { status, text } = await request("/v1/agent/test/boil");
    expect(status).toBe(410);
    expect(JSON.parse(text)).toMatchObject({
      type: `${service.url}/problems#kettle-cold`,
      title: "Cold kettle",
      detail: "the kettle is cold",
    });
    expect((await request("/problems")).text).toContain("## kettle-cold\n\n410 Cold kettle. Heat it first.");
    const { paths, components } = JSON.parse((await request("/openapi.json")).text);
    expect(paths["/v1/agent/test/boil"].get.responses[410]).toEqual({ $ref: "#/components/responses/410" });
    expect(components.responses[410].description).toBe(
      "Report no longer stored / Notices no longer stored / Link expired / Cold kettle",
    );
  });
});
