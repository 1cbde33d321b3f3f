/** Datasets that are to be served and are not yet: how far their making is, and what whoever asks for one is told. */
import { refuse } from "../core/model/refusal.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import type { Progress, Stage } from "./progress.ts";

/** How far a build has come: percent of its stage, and in how many seconds it is likely to be done. */
export type Making = { stage: Stage; percent: number; seconds_left: number };

/** A dataset as far as it has to be known before its files are open: released, or being made for the first time. */
export type Expected = {
  dataset: string;
  synthetic: boolean;
  released: boolean;
  making?: () => Making | undefined;
};

/** What one that cannot be read is to be asked for again after, where nothing is known of its making. */
const ASK_AGAIN_S = 5;
const LONGEST_S = 120;

/** Follows a build: what it reports goes in, and how far it is comes out; undefined before it reports anything. */
export function followed(): { progress: Progress; making(): Making | undefined } {
  let begun_ms = 0;
  let reported: { stage: Stage; share: number } | undefined;
  return {
    progress: (stage, done, total) => {
      begun_ms ||= performance.now();
      reported = { stage, share: done / Math.max(total, 1) };
    },
    making: () => {
      if (!reported) return undefined;
      const { stage, share } = reported;
      const elapsed_s = (performance.now() - begun_ms) / 1000;
      const seconds_left = share > 0 ? Math.ceil((elapsed_s * (1 - share)) / share) + 1 : ASK_AGAIN_S;
      return { stage, percent: Math.floor(share * 100), seconds_left: Math.min(seconds_left, LONGEST_S) };
    },
  };
}

/** Those that are being made, and how far they are. */
export const makingOf = (awaited: readonly Expected[]): ({ dataset: string } & Making)[] =>
  awaited.flatMap(({ dataset, making }) => {
    const state = making?.();
    return state ? [{ dataset, ...state }] : [];
  });

/** After how many seconds the last of these may be there: they are made one after the other. */
export const likelyWait = (awaited: readonly Expected[]): number =>
  Math.max(...makingOf(awaited).map(({ seconds_left }) => seconds_left), 0) || ASK_AGAIN_S;

/** What is not open yet may cover the question, so that it is no fault of the caller's. */
export function refuseAwaited(awaited: readonly Expected[]): never {
  const made = makingOf(awaited);
  const sentences = made.map(
    ({ dataset, stage, percent }) => `${dataset} is being made (${stage}, ${percent} %)`,
  );
  const others = awaited
    .map(({ dataset }) => dataset)
    .filter((name) => !made.some(({ dataset }) => dataset === name));
  if (others.length > 0)
    sentences.push(
      `${others.join(", ")} cannot be read (yet): being made or opened, or the files are missing`,
    );
  return refuse(tradeProblems["dataset-missing"], sentences.join("; "), {
    retry_after_s: likelyWait(awaited),
  });
}
