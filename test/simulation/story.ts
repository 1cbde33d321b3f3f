/** A run is a list of steps, drawn from a seed: so a failing one can lose steps until only the needed ones are left. */
import { createHash } from "node:crypto";
import type { Hex } from "../../src/core/model/chain.ts";
import { numbersOf } from "./clock.ts";

export const PROCESSES = ["p1", "p2", "p3"] as const;
export const BUYERS = 3;

/** `payment`: the number of an authorization; equal numbers are the same signed text. */
export type Step = { at: number } & (
  | { do: "buy"; buyer: number; payment: number; till: string; process: number; goods?: "others" }
  | { do: "steal"; payment: number; till: string; process: number; carries: boolean }
  | { do: "die"; process: number; for_ms: number }
  | { do: "pause"; process: number; for_ms: number }
  | { do: "reorganise"; depth: number }
  | { do: "chain away" | "database away" | "answers lost"; for_ms: number }
);

export const LAST_MS = 60_000;

export function storyOf(seed: number): Step[] {
  const random = numbersOf(seed ^ 0x5eed);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const steps: Step[] = [];
  const payments = between(2, 5);
  for (let payment = 0; payment < payments; payment++) {
    const buyer = between(0, BUYERS - 1);
    const till = random() < 0.6 ? "a" : "b";
    const at = between(0, 30_000);
    for (let n = between(1, 3); n > 0; n--)
      steps.push({
        at: at + (random() < 0.5 ? between(0, 60) : between(0, 8_000)),
        do: "buy",
        buyer,
        payment,
        till,
        process: between(0, 2),
      });
    if (random() < 0.3)
      steps.push({
        at: at + between(0, 40),
        do: "buy",
        buyer,
        payment,
        till,
        process: between(0, 2),
        goods: "others",
      });
    if (random() < 0.5)
      steps.push({
        at: Math.max(0, at + between(-6_000, 10_000)),
        do: "steal",
        payment,
        till,
        process: between(0, 2),
        carries: random() < 0.7,
      });
  }
  const troubles = between(0, 4);
  for (let n = 0; n < troubles; n++) steps.push(trouble(between, between(0, 45_000)));
  return steps.sort((a, b) => a.at - b.at);
}

function trouble(between: (least: number, most: number) => number, at: number): Step {
  switch (between(0, 5)) {
    case 0:
      return { at, do: "die", process: between(0, 2), for_ms: between(1_000, 20_000) };
    case 1:
      return { at, do: "pause", process: between(0, 2), for_ms: between(5_000, 40_000) };
    case 2:
      return { at, do: "reorganise", depth: between(1, 4) };
    case 3:
      return { at, do: "chain away", for_ms: between(500, 15_000) };
    case 4:
      return { at, do: "database away", for_ms: between(200, 5_000) };
    default:
      return { at, do: "answers lost", for_ms: between(200, 5_000) };
  }
}

export const nonceOf = (seed: number, payment: number): Hex =>
  `0x${createHash("sha256").update(`${seed} ${payment}`).digest("hex")}`;
