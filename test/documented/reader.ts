/** A reader of the guides: a fresh folder of the repository, a terminal in it, and programs that keep running. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/adapters/free-port.ts";
import { PATIENT } from "../support/patience.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname, "../..");
const OF_THE_REPOSITORY = ["bin", "dist", "docs", "node_modules", "package.json", "src", "eventstore"];

/** Ends the output of a block; readers' programs print no such character. */
const END = "\u001e";

export type Reader = {
  folder: string;
  /** Guides name port 3000, which may be taken here. */
  addressed(text: string): string;
  save(file: string, text: string): Promise<void>;
  terminal(): Terminal;
  /** Starts a program of a terminal of its own; resolves with its output once that is `ready`. */
  keepRunning(commands: string, ready: (output: string) => boolean): Promise<string>;
  /** Ctrl-C in the terminal that was opened last. */
  stopLast(): Promise<void>;
  leave(): Promise<void>;
};

export type Terminal = { run(commands: string): Promise<string>; close(): void };

export async function readerOf(settings: Record<string, string> = {}): Promise<Reader> {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-guides-"));
  // Postgres' account has to enter it.
  await chmod(folder, 0o755);
  for (const name of OF_THE_REPOSITORY) await symlink(join(ROOT, name), join(folder, name));
  const port = await freePort(0);
  const env = {
    ...PATIENT,
    PATH: process.env.PATH,
    HOME: folder,
    PORT: String(port),
    LOG_LEVEL: "warn",
    ...settings,
  };
  const running: ChildProcess[] = [];
  const addressed = (text: string) => text.replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`);
  const stopLast = async () => {
    const { pid } = running.pop()!;
    signalled(pid!, "SIGINT");
    await until(() => !signalled(pid!, 0));
  };
  let blocks = 0;
  const scriptOf = async (commands: string) => {
    blocks += 1;
    const path = join(folder, `.block-${blocks}.sh`);
    await writeFile(path, addressed(commands));
    return path;
  };

  return {
    folder,
    addressed,
    save: (file, text) => writeFile(join(folder, file), addressed(text)),
    terminal() {
      const shell = spawn("bash", { cwd: folder, env });
      const printed = outputOf(shell);
      shell.stdin.write(`exec 2>&1\nset -E -o pipefail\ntrap 'echo "failed: $BASH_COMMAND"' ERR\n`);
      return {
        async run(commands) {
          printed.forget();
          shell.stdin.write(`. ${await scriptOf(commands)} < /dev/null\nprintf '${END}'\n`);
          const output = await printed.until((text) => text.includes(END));
          if (/^failed: /m.test(output)) throw new Error(`${commands}\nfailed:\n${output}`);
          return output.replace(END, "");
        },
        close: () => shell.stdin.end(),
      };
    },
    async keepRunning(commands, ready) {
      const child = spawn("bash", [await scriptOf(commands)], { cwd: folder, env, detached: true });
      running.push(child);
      return outputOf(child).until(ready);
    },
    stopLast,
    async leave() {
      while (running.length > 0) await stopLast();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Signals a terminal's programs; false once all of them have ended. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** A program's output until it is as wanted; an earlier end is an error. */
function outputOf(child: ChildProcessWithoutNullStreams) {
  let output = "";
  let ended = false;
  let look = () => {};
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
      look();
    });
  child.once("exit", () => {
    ended = true;
    look();
  });
  return {
    forget: () => {
      output = "";
    },
    until: (ready: (output: string) => boolean): Promise<string> =>
      new Promise((done, fail) => {
        look = () => {
          if (ready(output)) done(output);
          else if (ended) fail(new Error(`it ended:\n${output}`));
        };
        look();
      }),
  };
}
