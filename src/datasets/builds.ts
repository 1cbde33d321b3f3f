/** Datasets that are not served yet: the progress of their build, and the answer to requests for them. */
import { refuse } from "../core/model/refusal.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import type { Progress, Stage } from "./progress.ts";

/** A build's progress: percent of its stage, and the likely seconds until it is done. */
export type BuildProgress = { stage: Stage; percent: number; seconds_left: number };

/** A dataset whose files are not open yet: released, or built for the first time. */
export type ExpectedDataset = {
  dataset: string;
  synthetic: boolean;
  released: boolean;
  making?: () => BuildProgress | undefined;
};

/** Default seconds for Retry-After, if the build's progress is unknown. */
const ASK_AGAIN_S = 5;
const LONGEST_S = 120;

/** Records a build's reports and returns its progress; undefined before the first report. */
export function trackBuild(): { progress: Progress; making(): BuildProgress | undefined } {
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

export const buildsOf = (awaited: readonly ExpectedDataset[]): ({ dataset: string } & BuildProgress)[] =>
  awaited.flatMap(({ dataset, making }) => {
    const state = making?.();
    return state ? [{ dataset, ...state }] : [];
  });

/** Seconds until the last of these is likely ready; they are built one after another. */
export const likelyWait = (awaited: readonly ExpectedDataset[]): number =>
  Math.max(...buildsOf(awaited).map(({ seconds_left }) => seconds_left), 0) || ASK_AGAIN_S;

/** A dataset that is not open yet may cover the question, so the caller is not at fault. */
export function refuseAwaited(awaited: readonly ExpectedDataset[]): never {
  const made = buildsOf(awaited);
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
