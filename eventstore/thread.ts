import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Starts a thread on a file beside the one that asks, named without its ending: "./thread" is thread.js where the service
 * was compiled, else thread.ts, which the thread must learn to read, since it does not take over what its process registered.
 */
export function startThread(asker: string, name: string, options: WorkerOptions = {}): Worker {
  if (asker.endsWith(".js")) return new Worker(new URL(`${name}.js`, asker), { execArgv: [], ...options });
  const [tsx, file] = [import.meta.resolve("tsx/esm/api"), new URL(`${name}.ts`, asker).href].map((url) =>
    JSON.stringify(url),
  );
  const start = `import(${tsx}).then(({ register }) => { register(); return import(${file}); })`;
  return new Worker(start, { eval: true, execArgv: [], ...options });
}
