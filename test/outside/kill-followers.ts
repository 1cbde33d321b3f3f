/** Followers of a copy that are killed in sequence while the log grows. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { startProgram } from "../support/compiled.ts";

export type Killing = {
  kills: number;
  /** Environment of a follower. */
  env: { DATABASE: string; COPY: string; STREAM: string };
  /** Lets the log grow; called repeatedly while there are kills to come. */
  grow(): Promise<void>;
  /** The longest working life of a process, in milliseconds; each is random. */
  most_ms?: number;
  killed?: (count: number) => void;
};

/** Kills this many at random moments; three live at a time, because a killed one's lease must expire. */
export async function killFollowers({ kills, env, grow, most_ms = 150, killed }: Killing): Promise<void> {
  let done = 0;
  const growing = (async () => {
    while (done < kills) await grow();
  })();
  const lives = async () => {
    while (done < kills) {
      const child = startFollower(env);
      const ended = once(child, "exit");
      const begun = await Promise.race([once(child, "message"), ended]);
      if (begun[0] !== "follows") throw new Error(`a follower ended by itself with ${begun[0]}`);
      await pause(Math.random() * most_ms);
      child.kill("SIGKILL");
      await ended;
      done++;
      killed?.(done);
    }
  };
  await Promise.all([growing, lives(), lives(), lives()]);
}

export const startFollower = (env: Killing["env"]): ChildProcess =>
  startProgram("test/outside/follower-process.ts", [], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
