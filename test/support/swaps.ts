/** Swaps vintages during questions: no answer may fail, and none may have figures of another vintage than it names. */
import { setTimeout as pause } from "node:timers/promises";
import { until } from "./until.ts";

type Answer = { data: unknown; meta: { vintage: string } };

export type Swapping = {
  ask(path: string): Promise<{ status: number; body: string }>;
  /** Questions about the dataset whose vintages are swapped. */
  paths: string[];
  vintages: string[];
  /** Makes a vintage the current one. */
  release(vintage: string): Promise<void>;
  swaps: number;
  connections: number;
  /** The shortest time that a vintage stays. */
  stay_ms: number;
};

export type Swapped = {
  /** Each vintage's answer to each path, without swaps. */
  alone: Map<string, Map<string, unknown>>;
  /** Answers under load, by the vintage that they named. */
  answers: Map<string, number>;
  failed: string[];
  mixed: string[];
};

export async function swapUnderLoad(story: Swapping): Promise<Swapped> {
  const { ask, paths, vintages, release, swaps, connections, stay_ms } = story;
  const read = async (path: string): Promise<Answer | undefined> => {
    const { status, body } = await ask(path);
    return status === 200 ? (JSON.parse(body) as Answer) : undefined;
  };
  const become = async (vintage: string) => {
    await release(vintage);
    await until(async () => (await read(paths[0]!))?.meta.vintage === vintage);
  };
  const alone: Swapped["alone"] = new Map();
  for (const vintage of vintages) {
    await become(vintage);
    const seen = new Map<string, unknown>();
    for (const path of paths) seen.set(path, (await read(path))?.data);
    alone.set(vintage, seen);
  }
  const answers = new Map(vintages.map((vintage) => [vintage, 0]));
  const failed: string[] = [];
  const mixed: string[] = [];
  let asking = true;
  const caller = async (first: number) => {
    for (let at = first; asking; at++) {
      const path = paths[at % paths.length]!;
      const { status, body } = await ask(path);
      if (status !== 200) {
        failed.push(`${status} ${path} ${body}`);
        continue;
      }
      const { data, meta } = JSON.parse(body) as Answer;
      answers.set(meta.vintage, (answers.get(meta.vintage) ?? 0) + 1);
      if (JSON.stringify(data) !== JSON.stringify(alone.get(meta.vintage)?.get(path)))
        mixed.push(`${path} of ${meta.vintage}`);
    }
  };
  const load = Array.from({ length: connections }, (_, first) => caller(first));
  for (let swap = 0; swap < swaps; swap++) {
    await become(vintages[swap % vintages.length]!);
    await pause(stay_ms);
  }
  asking = false;
  await Promise.all(load);
  return { alone, answers, failed, mixed };
}
