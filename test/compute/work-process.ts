/** `tallystick work` as a process of its own, with its output. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startProgram } from "../support/compiled.ts";
import { until } from "../support/until.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a worker tells is what is tested
type Line = Record<string, any>;

export type WorkProcess = Awaited<ReturnType<typeof startWork>>;

/** `dir`: the folder of an earlier worker; omitted = a folder that `clear` removes. */
export async function startWork(url: string, agent: string, more: string[] = [], dir?: string) {
  const folder = dir ?? (await mkdtemp(join(tmpdir(), "tallystick-worker-")));
  const args = ["work", "--url", url, "--dir", folder, "--agent", agent, ...more];
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = startProgram("src/main.ts", args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: Line[] = [];
  let stderr = "";
  createInterface({ input: child.stdout! }).on("line", (line) => lines.push(JSON.parse(line)));
  child.stderr!.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<number | NodeJS.Signals>((done) =>
    child.on("close", (code, signal) => done(code ?? signal!)),
  );
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    dir: folder,
    lines,
    linesOf: (event: string) => lines.filter((line) => line.event === event),
    stderr: () => stderr,
    /** Waits for the first line of this event about this task. */
    tells: (event: string, task_id?: string): Promise<Line> =>
      until(() => {
        const found = lines.find(
          (line) => line.event === event && (task_id === undefined || line.task_id === task_id),
        );
        if (!found && isOver()) throw new Error(`the worker has ended: ${stderr}`);
        return found ?? false;
      }),
    signal: (name: NodeJS.Signals) => void child.kill(name),
    ended,
    async clear() {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
