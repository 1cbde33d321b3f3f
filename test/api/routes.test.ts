/** The route of a method and a path. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { methodOf, pathOf, pathWith } from "../../src/api/declare/operation-facts.ts";
import { type Entry, routeTable } from "../../src/api/transports/routes.ts";
import { catalogue } from "../support/catalogue.ts";

const entry = (route: `${Entry<string>["method"]} /${string}`): Entry<string> => {
  const [method, path] = route.split(" ") as [Entry<string>["method"], Entry<string>["path"]];
  return { method, path, target: route };
};

// Parameters are declared before fixed segments, and short paths before long ones.
const table = routeTable(
  [
    "GET /",
    "GET /log/tile/{+path}",
    "GET /log/tile",
    "GET /souls/{id}",
    "DELETE /souls/{id}/keys/{kid}",
    "POST /souls/{id}/keys",
    "GET /souls/stats",
    "POST /souls/register",
    "GET /souls/{sx_id}/pulse",
    "GET /souls/stats/by/{country}",
  ].map((route) => entry(route as "GET /")),
);

test.each([
  ["GET", "/", "GET /", {}],
  ["GET", "/souls/42", "GET /souls/{id}", { id: "42" }],
  ["GET", "/souls/stats", "GET /souls/stats", {}],
  ["GET", "/souls/register", "GET /souls/{id}", { id: "register" }],
  ["POST", "/souls/register", "POST /souls/register", {}],
  ["GET", "/souls/stats/pulse", "GET /souls/{sx_id}/pulse", { sx_id: "stats" }],
  ["GET", "/souls/stats/by/LV", "GET /souls/stats/by/{country}", { country: "LV" }],
  ["DELETE", "/souls/1/keys/a", "DELETE /souls/{id}/keys/{kid}", { id: "1", kid: "a" }],
  ["HEAD", "/souls/42", "GET /souls/{id}", { id: "42" }],
  ["GET", "/SOULS/Ab", "GET /souls/{id}", { id: "Ab" }],
  ["GET", "/souls/42/", "GET /souls/{id}", { id: "42" }],
  ["GET", "/souls/a%20b%2Fc", "GET /souls/{id}", { id: "a b/c" }],
  ["GET", "/log/tile/0/x001/067.p/5", "GET /log/tile/{+path}", { path: "0/x001/067.p/5" }],
  ["GET", "/log/tile/0/", "GET /log/tile/{+path}", { path: "0/" }],
  ["GET", "/log/tile/", "GET /log/tile", {}],
])("%s %s is %s", (method, path, target, params) => {
  expect(table(method, path)).toEqual({ target, params });
});

test.each([
  ["DELETE", "/souls/42", ["GET"]],
  // A fixed segment and a parameter's value may share one path.
  ["DELETE", "/souls/register", ["POST", "GET"]],
  ["PUT", "/souls/1/keys", ["POST"]],
  ["HEAD", "/souls/1/keys", ["POST"]],
  ["POST", "/log/tile/0/1", ["GET"]],
])("%s %s is served by other methods", (method, path, allowed) => {
  expect(table(method, path)).toEqual({ allowed });
});

test.each(["/souls", "/souls//", "/souls//keys", "/souls/42//", "//", "/*", "/log"])(
  "POST %j has no route",
  (path) => {
    expect(table("POST", path)).toBeUndefined();
  },
);

test("a parameter that is not UTF-8 is refused", () => {
  expect(() => table("GET", "/souls/%ZZ")).toThrow(URIError);
});

test("two routes that differ only in a parameter's name are one", () => {
  expect(() => routeTable([entry("GET /a/{x}"), entry("GET /a/{y}")])).toThrow("two routes are GET /a/{y}");
});

test("each operation is found by its path, with any parameters", () => {
  const routes = routeTable(
    catalogue.map((operation) => ({
      method: methodOf(operation),
      path: pathOf(operation),
      target: operation.name,
    })),
  );
  for (const operation of catalogue) {
    const names = [...pathOf(operation).matchAll(/\{\+?(\w+)\}/g)].map(([, name]) => name!);
    fc.assert(
      fc.property(
        // No other operation's path has a segment that begins with an underscore.
        fc.tuple(...names.map(() => fc.string({ unit: "grapheme" }).map((text) => `_${text}`))),
        (values) => {
          const params = Object.fromEntries(names.map((name, at) => [name, values[at]]));
          const path = pathWith(operation, params);
          expect(routes(methodOf(operation), path)).toEqual({ target: operation.name, params });
        },
      ),
      { numRuns: names.length === 0 ? 1 : 25 },
    );
  }
});
