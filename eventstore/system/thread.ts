import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

const ROOT = new URL("../../", import.meta.url).href;

let isTwinned = false;

/** From now on threads and processes start from compiled files: each saves half a second. */
export function startCompiled(): void {
  isTwinned = true;
}

export type StartFile = { url: URL; isCompiled: boolean };

/** "./thread" is thread.js where the service was compiled, else thread.ts. */
export function startFile(asker: string, name: string): StartFile {
  if (asker.endsWith(".js")) return { url: new URL(`${name}.js`, asker), isCompiled: true };
  const { href } = new URL(`${name}.ts`, asker);
  if (!isTwinned || !href.startsWith(ROOT)) return { url: new URL(href), isCompiled: false };
  const place = href.slice(ROOT.length).replace(/\.ts$/, ".js");
  return { url: new URL(`dist/${place}`, ROOT), isCompiled: true };
}

/** A thread does not inherit the TypeScript loader. */
export function startThread(asker: string, name: string, options: WorkerOptions = {}): Worker {
  const { url, isCompiled } = startFile(asker, name);
  if (isCompiled) return new Worker(url, { execArgv: [], ...options });
  const [tsx, file] = [import.meta.resolve("tsx/esm/api"), url.href].map((text) => JSON.stringify(text));
  const start = `import(${tsx}).then(({ register }) => { register(); return import(${file}); })`;
  return new Worker(start, { eval: true, execArgv: [], ...options });
}

export function programArguments(asker: string, name: string): string[] {
  const { url, isCompiled } = startFile(asker, name);
  return [...(isCompiled ? [] : ["--import", import.meta.resolve("tsx")]), fileURLToPath(url)];
}
