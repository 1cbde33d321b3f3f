import { describe, expect, test } from "vitest";
import { findProducts, searchable } from "../../src/domain/customs/search.ts";

const names = {
  "4011": "New pneumatic tyres, of rubber",
  "40111000": "New pneumatic tyres, of rubber, of a kind used for motor cars",
  "7606": "Aluminium plates, sheets and strip",
  "3102": "Mineral or chemical nitrogenous fertilisers",
  "2807": "Sulphuric acid; oleum",
  "6109": "T-shirts, singlets and other vests, knitted or crocheted",
  "6404": "Footwear with outer soles of rubber and uppers of textile materials",
  "8427": "Fork-lift trucks",
  "8704": "Motor vehicles for the transport of goods",
  "070930": "Fresh or chilled aubergines",
  "84713000": "Data-processing machines, automatic, portable",
  "44": "Wood and charcoal",
  "47": "Wood pulp",
  "4701": "Mechanical wood pulp",
};
const products = Object.entries(names).map(([code, name]) => searchable({ code, name }));
const find = (q: string) => findProducts(q, products);

describe("a search finds", () => {
  test.each([
    ["tires", "4011"],
    ["tire", "4011"],
    ["Aluminum sheets", "7606"],
    ["fertilizers", "3102"],
    ["fertilizer", "3102"],
    ["sulfuric acid", "2807"],
    ["T-shirts", "6109"],
    ["tshirt", "6109"],
    ["tee shirts", "6109"],
    ["eggplants", "070930"],
  ])("%s by its British spelling", (q, code) => {
    expect(find(q).hint).toBeNull();
    expect(find(q).codes).toContain(code);
  });

  test.each([
    ["sneakers", "6404"],
    ["trucks", "8704"],
    ["laptops", "84713000"],
  ])("%s by the trade's own word, and names that word", (q, code) => {
    const { codes, hint } = find(q);
    expect(codes[0]).toBe(code);
    expect(hint).toMatch(/match them as terms of the trade/);
  });

  test.each([
    ["4011", ["4011", "40111000"]],
    ["HS 8471.30", ["84713000"]],
    ["cn code: 8471 30 00", ["84713000"]],
  ])("the code %s", (q, codes) => {
    expect(find(q)).toEqual({ codes, hint: null });
  });

  test("the parents of a missing code", () => {
    expect(find("4011999900")).toEqual({
      codes: ["4011", "40111000"],
      hint: "No code begins with 4011999900; these begin with 4011.",
    });
  });
});

test("a name that begins with the words comes first, and of these the one that the trade calls so", () => {
  expect(find("wood")).toEqual({ codes: ["44", "47", "4701"], hint: null });
  expect(find("wood pulp").codes).toEqual(["47", "4701"]);
});

describe("a search without a result suggests what to try", () => {
  test.each([
    ["footwaer", /"footwaer" \(did you mean "footwear"\?\)/],
    ["xylophone qqq", /No name has "xylophone" or "qqq"/],
    ["rubber acid", /no name has all of them: search for fewer/],
  ])("%s", (q, hint) => {
    expect(find(q)).toEqual({ codes: [], hint: expect.stringMatching(hint) });
  });
});
