/** Bundles the simulation with the service's own code; a fault replaces one piece of text in one file of the copy. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Fault } from "./faults.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Below node_modules, so that packages are found and nothing is watched or committed. */
const PLACE = join(ROOT, "node_modules/.cache/simulation");

export type Simulation = typeof import("./run.ts");

export async function compile(fault?: Fault): Promise<Simulation> {
  mkdirSync(PLACE, { recursive: true });
  const outfile = join(PLACE, `${fault?.name.replaceAll(" ", "-") ?? "sound"}.${process.pid}.mjs`);
  await build({
    entryPoints: [join(ROOT, "test/simulation/run.ts")],
    ...{ outfile, bundle: true, format: "esm", platform: "node", target: "node20", logLevel: "error" },
    packages: "external",
    plugins: fault ? [{ name: "fault", setup: (bundle) => put(fault, bundle) }] : [],
  });
  try {
    return (await import(`${pathToFileURL(outfile)}?${Date.now()}`)) as Simulation;
  } finally {
    rmSync(outfile);
  }
}

function put({ name, file, was, is }: Fault, bundle: Parameters<import("esbuild").Plugin["setup"]>[0]): void {
  const path = join(ROOT, file);
  const text = readFileSync(path, "utf8");
  if (text.split(was).length !== 2)
    throw new Error(`the fault "${name}" no longer fits ${file}: its text must be there once`);
  bundle.onLoad({ filter: new RegExp(`${file.replaceAll(/[.]/g, "\\.")}$`) }, () => ({
    contents: text.replace(was, is),
    loader: "ts",
  }));
}
