/** Bundles the simulation with the service's own code; a fault replaces one piece of text in one file of the copy. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Fault } from "./faults.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Below node_modules, so that packages are found and nothing is watched or committed. */
const PLACE = join(ROOT, "node_modules/.cache/simulation");

export type Simulation = typeof import("./worlds.ts");

export async function compile(fault?: Fault): Promise<Simulation> {
  mkdirSync(PLACE, { recursive: true });
  const outfile = join(PLACE, `${fault?.name.replaceAll(" ", "-") ?? "sound"}.${process.pid}.mjs`);
  await build({
    entryPoints: [join(ROOT, "test/simulation/worlds.ts")],
    ...{ outfile, bundle: true, format: "esm", platform: "node", target: "node20", logLevel: "error" },
    packages: "external",
    plugins: [{ name: "compiled", setup: (bundle) => compileModules(bundle, fault) }, ...putting(fault)],
  });
  try {
    return (await import(`${pathToFileURL(outfile)}?${Date.now()}`)) as Simulation;
  } finally {
    rmSync(outfile);
  }
}

type Bundle = Parameters<Plugin["setup"]>[0];

const putting = (fault: Fault | undefined): Plugin[] =>
  fault ? [{ name: "fault", setup: (bundle) => put(fault, bundle) }] : [];

/** A module that each simulated process loads for itself. */
function compileModules(bundle: Bundle, fault: Fault | undefined): void {
  bundle.onResolve({ filter: /^compiled:/ }, ({ path }) => ({
    path: path.slice("compiled:".length),
    namespace: "compiled",
  }));
  bundle.onLoad({ filter: /.*/, namespace: "compiled" }, async ({ path }) => {
    const { outputFiles } = await build({
      entryPoints: [join(ROOT, path)],
      ...{ bundle: true, write: false, format: "cjs", platform: "node", target: "node20", logLevel: "error" },
      plugins: putting(fault),
    });
    return { contents: outputFiles[0]!.text, loader: "text" };
  });
}

function put({ name, file, was, is }: Fault, bundle: Bundle): void {
  const path = join(ROOT, file);
  const text = readFileSync(path, "utf8");
  if (text.split(was).length !== 2)
    throw new Error(`the fault "${name}" no longer fits ${file}: its text must be there once`);
  bundle.onLoad({ filter: new RegExp(`${file.replaceAll(/[.]/g, "\\.")}$`) }, () => ({
    contents: text.replace(was, is),
    loader: "ts",
  }));
}
