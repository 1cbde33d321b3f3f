/** Runs tasks of the built-in kinds, each in its own process, which is killed at its deadline. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { canonicalBytes } from "../../eventstore/canonical.ts";
import { programArguments, startFile } from "../../eventstore/system/thread.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { MOST_OBJECT_BYTES } from "../core/model/objects.ts";
import type { ExecutionResult, Executor } from "../core/model/ports/executor.ts";

/** Megabytes for the process itself; the task has lower limits of its own. */
const HEAP_MB = 512;

/** Nothing is inherited: a machine's time zone would change a query's result. */
const ENVIRONMENT = { TZ: "UTC" };

const CHILD = "./execution/child";

/** Kilobytes of stack. QuickJS's own limit is reached before V8's, which differs between versions. */
const STACK_KB = 3_900;

/** Where a shell exists, the system itself forbids dumps and files, and limits memory and CPU time. */
const SHELL = "/bin/sh";
const LIMITS = `ulimit -c 0; ulimit -f 0; ulimit -d ${1024 * 1024}; ulimit -t "$0"; exec "$@"`;

/**
 * `node`, `environment`: program and environment of the processes. Default: this process's program, and the time
 * zone UTC alone.
 */
export function processExecutor({ node = process.execPath, environment = {} } = {}): Executor {
  const { url } = startFile(import.meta.url, CHILD);
  const flags = [`--max-old-space-size=${HEAP_MB}`, `--stack-size=${STACK_KB}`];
  const command = [node, ...flags, ...programArguments(import.meta.url, CHILD)];
  const hasShell = existsSync(SHELL);
  return {
    engine_sha256: engineOf(url),
    run: ({ kind, input, limit_s, signal }) =>
      new Promise((resolve) => {
        // An orphaned process ends by itself, at twice its CPU time.
        const seconds = 2 * Math.ceil(limit_s) + 1;
        const [file, ...rest] = hasShell ? [SHELL, "-c", LIMITS, String(seconds), ...command] : command;
        const child = spawn(file!, rest, {
          env: { ...ENVIRONMENT, ...environment },
          stdio: ["pipe", "pipe", "ignore"],
        });
        const chunks: Buffer[] = [];
        let bytes = 0;
        let reason: string | undefined;
        const kill = (why: string) => {
          reason ??= why;
          child.kill("SIGKILL");
        };
        const timer = setTimeout(() => kill("it took too long"), limit_s * 1_000);
        const stop = () => kill("it was stopped");
        if (signal?.aborted) stop();
        else signal?.addEventListener("abort", stop, { once: true });
        child.stdout.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MOST_OBJECT_BYTES + 1_024) return kill("its result is too large");
          chunks.push(chunk);
        });
        child.on("error", (error) => kill(error.message));
        // A child that stops reading stdin is no error.
        child.stdin.on("error", () => undefined);
        child.on("close", (code) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", stop);
          const ran = code === 0 && reason === undefined ? readRan(Buffer.concat(chunks)) : undefined;
          resolve(ran ?? { exit: "failed", reason: reason ?? `its process ended with ${code}` });
        });
        child.stdin.end(JSON.stringify({ kind, input }));
      }),
  };
}

function readRan(bytes: Buffer): ExecutionResult | undefined {
  try {
    const { exit, output } = JSON.parse(bytes.toString()) as ExecutionResult;
    return isResult(output) ? { exit, output } : { exit: "ok", output: { error: NO_RESULT } };
  } catch {
    return undefined;
  }
}

const NO_RESULT = "TypeError: the result is no JSON that has a canonical form";

/** A program can make its JSON return anything; a value without a canonical form (RFC 8785) has no digest. */
function isResult(output: unknown): output is ExecutionResult["output"] {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return false;
  try {
    return canonicalBytes(output as JsonObject, "output").length > 0;
  } catch {
    return false;
  }
}

/** The digest of the file that runs tasks distinguishes versions; compiled, it names its chunks by their digests. */
const engineOf = (file: URL): string => createHash("sha256").update(readFileSync(file)).digest("hex");
