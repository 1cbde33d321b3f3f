/** The worlds that a seed can be played in, and the search for a failing seed's shortest story. */
import * as folder from "./folder.ts";
import * as history from "./history.ts";
import * as market from "./market.ts";
import type { RunResult, Timed } from "./result.ts";
import * as payments from "./run.ts";

export { linesOf } from "./result.ts";

type AnyStep = Timed & { do: string };
type World = {
  storyOf(seed: number): AnyStep[];
  simulate(seed: number, steps?: readonly AnyStep[]): Promise<RunResult>;
};

export const worlds = { payments, history, folder, market } as unknown as Record<
  "payments" | "history" | "folder" | "market",
  World
>;
export type WorldName = keyof typeof worlds;

/** Leaves out steps as long as the story still fails. */
export async function shrink(world: WorldName, seed: number): Promise<AnyStep[]> {
  const { storyOf, simulate } = worlds[world];
  let story = storyOf(seed);
  for (let size = Math.ceil(story.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < story.length; ) {
      const rest = [...story.slice(0, at), ...story.slice(at + size)];
      if (rest.length < story.length && (await simulate(seed, rest)).violations.length > 0) story = rest;
      else at += size;
    }
  return story;
}
