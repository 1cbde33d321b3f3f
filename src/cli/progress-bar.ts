/** Progress of long work: a bar on a terminal, otherwise a line every few seconds, with the stage's remaining time. */
import { SingleBar } from "cli-progress";
import { Refusal } from "../core/model/refusal.ts";

const STAGES = {
  read: "reading",
  check: "checking",
  write: "writing",
  publish: "publishing",
  fold: "folding read models",
} as const;
const EVERY_MS = 3_000;
/** Before this, the remaining time cannot be estimated. */
const TELLING_MS = 2_000;

type Stage = keyof typeof STAGES;
/** Reports a stage's progress: `done` of `total` in the stage's own unit. */
type ShownProgress = (stage: Stage, done: number, total: number) => void;

/** Shows the work's progress on standard error; `tell` formats the current line without a terminal. */
export async function withProgress<T>(
  what: string,
  tell: (stage: string, percent: number, left: string) => void,
  work: (progress: ShownProgress) => Promise<T>,
): Promise<T> {
  const shown = process.stderr.isTTY ? bar(what) : lines(tell);
  try {
    return await work(shown.progress);
  } finally {
    shown.end();
  }
}

/** As withProgress for a command: Ctrl-C stops the work and leaves nothing. */
export async function interruptibly<T>(
  what: string,
  work: (progress: ShownProgress, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Refusal("unavailable", "interrupted; nothing changed"));
  process.once("SIGINT", interrupt);
  try {
    return await withProgress(
      what,
      (stage, percent, left) => process.stderr.write(`${what}: ${stage}, ${percent} %${left}\n`),
      (progress) => work(progress, interrupted.signal),
    );
  } finally {
    process.off("SIGINT", interrupt);
  }
}

function bar(what: string): { progress: ShownProgress; end(): void } {
  const drawn = new SingleBar({
    format: "{what}: {stage} {bar} {percentage}% | {duration_formatted}{left}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    clearOnComplete: true,
    noTTYOutput: false,
  });
  drawn.start(1000, 0, { what, stage: STAGES.read, left: "" });
  const left = remainingTime();
  return {
    progress: (stage, done, total) =>
      drawn.update(Math.floor((done / Math.max(total, 1)) * 1000), {
        what,
        stage: STAGES[stage].padEnd(10),
        left: left(stage, done, total),
      }),
    end: () => drawn.stop(),
  };
}

function lines(tell: (stage: string, percent: number, left: string) => void): {
  progress: ShownProgress;
  end(): void;
} {
  type Line = { stage: Stage; percent: number; left: string };
  let reported: Line | undefined;
  let told: Line | undefined;
  const isNews = ({ stage, percent, left }: Line) =>
    told?.stage !== stage || told.percent !== percent || told.left !== left;
  const timer = setInterval(() => {
    if (!reported || !isNews(reported)) return;
    told = reported;
    tell(STAGES[reported.stage], reported.percent, reported.left);
  }, EVERY_MS);
  timer.unref();
  const left = remainingTime();
  return {
    progress: (stage, done, total) => {
      const percent = Math.floor((done / Math.max(total, 1)) * 100);
      reported = { stage, percent, left: left(stage, done, total) };
    },
    end: () => clearInterval(timer),
  };
}

/** The stage's remaining time at its current rate, as the end of a line; none if unknown. */
function remainingTime(now: () => number = () => performance.now()) {
  let begun: { stage: Stage; at: number; done: number } | undefined;
  return (stage: Stage, done: number, total: number): string => {
    if (begun?.stage !== stage) begun = { stage, at: now(), done };
    const ms = now() - begun.at;
    const made = done - begun.done;
    if (ms < TELLING_MS || made <= 0 || done >= total) return "";
    const seconds = Math.ceil((ms * (total - done)) / made / 1_000);
    return `, about ${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`} left`;
  };
}
