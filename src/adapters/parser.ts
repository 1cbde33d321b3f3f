/**
 * Parses strangers' texts in esbuild's own program, one by stdin at a time, killed at a timeout: 300 bytes can keep
 * any TypeScript parser busy forever. The service itself is compiled by another esbuild.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { arch } from "node:os";
import { jsonFaultPlace } from "../../eventstore/json-fault.ts";
import type { Fault, Parser } from "../core/model/ports/parser.ts";
import { Refusal } from "../core/model/refusal.ts";

/** CPU seconds: elapsed time would depend on the machine's load. */
const SECONDS = 2;
/** A text that gets so little CPU time gets no verdict. */
const TIMEOUT_MS = 20_000;
const MEMORY_KB = 512 * 1024;
/** Texts in work or waiting. */
const MOST_WAITING = 10;
const MOST_TOLD_BYTES = 1024 * 1024;

/** The system enforces the limits even after this process died; `exec` makes the program the killed process. */
const LIMITS = `ulimit -c 0; ulimit -f 0; ulimit -d ${MEMORY_KB}; ulimit -t "$0"; exec "$@"`;
const FLAGS = ["--loader=ts", "--format=esm", "--color=false", "--log-level=error", "--log-limit=1"];

/** The program, not its start script: killing the script would not stop it. */
function esbuildProgram(): readonly string[] {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("esbuild"));
  return [resolve(`@esbuild/${process.platform}-${arch()}/bin/esbuild`), ...FLAGS];
}

const unavailable = (message: string, reason?: string) =>
  new Refusal("unavailable", message, { retry_after_s: 5, cause: reason && new Error(reason) });

type ParserOptions = { program?: readonly string[]; timeout_ms?: number };

/** `program`: the parser and its arguments. Default: esbuild. */
export function createParser({ program, timeout_ms = TIMEOUT_MS }: ParserOptions = {}): Parser {
  let own = program;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function parseNext(text: string): Promise<Fault | undefined> {
    own ??= esbuildProgram();
    return parse(own, text, timeout_ms);
  }

  return {
    json: jsonFaultPlace,
    typescript(text) {
      if (waiting >= MOST_WAITING)
        return Promise.reject(unavailable("too many drafts wait to be parsed; try again in a few seconds"));
      waiting++;
      const parsed = last.then(() => parseNext(text)).finally(() => waiting--);
      last = parsed.catch(() => undefined);
      return parsed;
    },
  };
}

function parse(program: readonly string[], text: string, timeout_ms: number): Promise<Fault | undefined> {
  return new Promise((done, fail) => {
    const child = spawn("/bin/sh", ["-c", LIMITS, String(SECONDS), ...program], {
      cwd: "/",
      env: {},
      stdio: ["pipe", "ignore", "pipe"],
    });
    let reason: string | undefined;
    const giveUp = (why: string) => {
      reason ??= why;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => giveUp(`no answer within ${timeout_ms} ms`), timeout_ms);
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stderr.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_TOLD_BYTES) giveUp("its output is too large");
      else chunks.push(chunk);
    });
    child.on("error", (error) => giveUp(error.message));
    // A child that stops reading stdin is not an error.
    child.stdin.on("error", () => undefined);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const output = Buffer.concat(chunks).toString();
      if (reason === undefined && code === 0) return done(undefined);
      if (reason === undefined && isSpent(code, signal, output)) return done("endless");
      const place = /^ +<stdin>:(\d+):(\d+):$/m.exec(output);
      if (reason === undefined && code === 1 && place)
        return done({ line: Number(place[1]), column: Number(place[2]) });
      const cause = reason ?? `its process ended with ${code ?? signal}: ${output.slice(0, 500)}`;
      fail(unavailable("the draft could not be parsed; try again in a few seconds", cause));
    });
    child.stdin.end(text);
  });
}

/** Ended by the system for its time, or by itself for lack of memory. */
const isSpent = (code: number | null, signal: NodeJS.Signals | null, text: string) =>
  signal === "SIGKILL" ||
  signal === "SIGXCPU" ||
  (code === 2 && /^fatal error: .*(memory|stack)|goroutine stack exceeds/m.test(text));
