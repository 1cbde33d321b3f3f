/** How far long work has come, for whoever waits: a bar on a terminal, off it a line every few seconds. */
import { SingleBar } from "cli-progress";
import type { Progress, Stage } from "../datasets/progress.ts";

const STAGES = { read: "reading", check: "checking", write: "writing", publish: "publishing" } as const;
const EVERY_MS = 3_000;

/** Shows the work's progress on standard error; `tell` has the line of a moment where that is no terminal. */
export async function withProgress<T>(
  what: string,
  tell: (stage: string, percent: number) => void,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const shown = process.stderr.isTTY ? bar(what) : lines(tell);
  try {
    return await work(shown.progress);
  } finally {
    shown.end();
  }
}

/** As withProgress for a command: Ctrl-C stops the work and leaves nothing behind. */
export async function interruptibly<T>(
  what: string,
  work: (progress: Progress, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error("interrupted; nothing was changed"));
  process.once("SIGINT", interrupt);
  try {
    return await withProgress(
      what,
      (stage, percent) => process.stderr.write(`${what}: ${stage}, ${percent} %\n`),
      (progress) => work(progress, interrupted.signal),
    );
  } finally {
    process.off("SIGINT", interrupt);
  }
}

function bar(what: string): { progress: Progress; end(): void } {
  const drawn = new SingleBar({
    format: "{what}: {stage} {bar} {percentage}% | {duration_formatted}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    clearOnComplete: true,
    noTTYOutput: false,
  });
  drawn.start(1000, 0, { what, stage: STAGES.read });
  return {
    progress: (stage, done, total) =>
      drawn.update(Math.floor((done / Math.max(total, 1)) * 1000), { what, stage: STAGES[stage].padEnd(10) }),
    end: () => drawn.stop(),
  };
}

function lines(tell: (stage: string, percent: number) => void): { progress: Progress; end(): void } {
  let reported: { stage: Stage; percent: number } | undefined;
  const timer = setInterval(() => {
    if (reported) tell(STAGES[reported.stage], reported.percent);
  }, EVERY_MS);
  timer.unref();
  return {
    progress: (stage, done, total) => {
      reported = { stage, percent: Math.floor((done / Math.max(total, 1)) * 100) };
    },
    end: () => clearInterval(timer),
  };
}
