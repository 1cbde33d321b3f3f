/** Runs tasks of the built-in kinds, each in a process of its own that is killed when its time is over. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MOST_OBJECT_BYTES } from "../domain/objects.ts";
import type { Executor, Ran } from "../domain/ports.ts";

/** Megabytes that the process itself may have; what it runs has limits of its own below it. */
const HEAP_MB = 512;

export function processExecutor(): Executor {
  const own = import.meta.url;
  const isCompiled = own.endsWith(".js");
  const file = new URL(`./execution/child.${isCompiled ? "js" : "ts"}`, own);
  const reading = isCompiled ? [] : ["--import", import.meta.resolve("tsx")];
  const command = [...reading, `--max-old-space-size=${HEAP_MB}`, fileURLToPath(file)];
  return {
    engine_sha256: engineOf(file),
    run: ({ kind, input, limit_s, signal }) =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, command, { env: {}, stdio: ["pipe", "pipe", "ignore"] });
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
        // What it does not read any more concerns nobody.
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

function readRan(bytes: Buffer): Ran | undefined {
  try {
    return JSON.parse(bytes.toString()) as Ran;
  } catch {
    return undefined;
  }
}

/** The digest of what runs tasks: the files of its folder's beginning, by which two versions are told apart. */
const engineOf = (file: URL): string => createHash("sha256").update(readFileSync(file)).digest("hex");
