import { describe, expect, test } from "vitest";
import { codeOfCountry } from "../../src/domain/sanctions/countries.ts";
import { ranked } from "../../src/domain/sanctions/hit-text.ts";
import { indexNames } from "../../src/domain/sanctions/index.ts";
import { screen } from "../../src/domain/sanctions/screen.ts";

test.each([
  ["Iran (Islamic Republic of)", "IR"],
  ["Korea, North", "KP"],
  ["KOREA, DEMOCRATIC PEOPLE'S REPUBLIC OF", "KP"],
  ["Congo, Democratic Republic of the", "CD"],
  ["CONGO, Democratic Republic of (was Zaire)", "CD"],
  ["Congo", "CG"],
  ["Niger", "NE"],
  ["Nigeria", "NG"],
  ["Guinea", "GN"],
  ["Dominica", "DM"],
  ["South Sudan", "SS"],
  ["Burma", "MM"],
  ["Türkiye", "TR"],
  ["The Gambia", "GM"],
  ["possibly Palestinian", "PS"],
  ["former Soviet Union", "SU"],
  ["Macedonia, The Former Yugoslav Republic of", "MK"],
  ["United Kingdom of Great Britain and Northern Ireland", "GB"],
  ["St. Kitts & Nevis", "KN"],
  ["CÔTE D'IVOIRE", "CI"],
  ["RUSSIAN FEDERATION", "RU"],
])("%s is %s", (name, code) => {
  expect(codeOfCountry(name)).toBe(code);
});

test.each(["na", "None Identified", "", "Nowhere"])("%j is not a country", (name) => {
  expect(codeOfCountry(name)).toBeUndefined();
});

describe("a country agrees", () => {
  const agreement = (countries: string[], country: string) => {
    const index = indexNames([
      {
        list: "test",
        entries: [
          {
            ...{ entry_id: "1", reference: null, kind: "person", born: [], programs: [], countries },
            names: [{ name: "ZORBAN QUILLAXO", quality: "primary" }],
          },
        ],
      },
    ]);
    const hits = screen(index, "Zorban Quillaxo");
    return ranked(hits, { kind: undefined, born: undefined, country })[0]!.agrees.country;
  };

  test.each([
    [["Nigeria"], "NE", false],
    [["Nigeria"], "NG", true],
    [["na"], "CN", null],
    [["na", "Korea, North"], "KP", true],
    [["Korea, North"], "KR", false],
    [["United Kingdom"], "XI", true],
  ] as const)("%j with %s: %s", (countries, country, agrees) => {
    expect(agreement([...countries], country)).toBe(agrees);
  });
});
