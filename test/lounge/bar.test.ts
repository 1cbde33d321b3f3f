import { describe, expect, test } from "vitest";
import { drinkNames, drinks, orderDrink } from "../../src/domain/lounge/bar.ts";

describe("the bartender", () => {
  test.each([
    ["I lost everything, one last bet", "chasing"],
    ["tired after a long shift", "tired"],
    ["A bit lonely tonight", "sad"],
    ["stressed about the deadline", "worried"],
    ["This is rigged!", "angry"],
    ["bored", "bored"],
    ["I won!", "glad"],
    ["i want to die", "despair"],
    ["ＴＩＲＥＤ", "tired"],
    ["  ", "unsaid"],
    [undefined, "unsaid"],
    ["glorp", "unknown"],
    // Words that only begin or end like one of a mood.
    ["made of crypto, sitting by the window, downloading different parents", "unknown"],
  ])("reads %j as %s", (text, mood) => expect(orderDrink("gas-fee", text).mood).toBe(mood));

  test("gives the same answer to the same input, in any case and spacing", () =>
    expect(orderDrink("cold-storage", "Worried ")).toEqual(orderDrink("cold-storage", "worried")));

  test("has words for every drink, and never repeats the customer's", () => {
    const moods = ["glad", "worried", "no word <script> of mine", undefined];
    const answers = drinkNames.flatMap((drink) => moods.map((mood) => orderDrink(drink, mood).answer));
    expect(new Set(answers).size).toBe(answers.length);
    for (const answer of answers) expect(answer).not.toMatch(/script|undefined/);
    for (const drink of drinkNames) {
      const { answer } = orderDrink(drink, "glad");
      expect(drinks[drink].served.some((line) => answer.includes(line))).toBe(true);
    }
  });

  test("makes no joke to a desperate customer", () => {
    for (const drink of drinkNames) {
      const { answer } = orderDrink(drink, "I want to end it all");
      expect(answer).toMatch(/crisis line/);
      expect(drinks[drink].served.some((line) => answer.includes(line))).toBe(false);
    }
  });
});
