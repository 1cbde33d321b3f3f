/** The rules for a file's imports, by the table in layers.ts. */
import { layers, pure } from "../../../layers.ts";

const byLength = Object.keys(layers).toSorted((a, b) => b.length - a.length);

/** The name of the layer a repository path belongs to. */
export const layerOf = (path: string): string | undefined =>
  byLength.find((layer) => path === layer || path.startsWith(`${layer}/`));

/** An import: the imported names, `*` for the whole module, or only types. */
export type Import = { specifier: string; types: boolean; names: readonly string[] };

/** An import that a file's layer may not have. */
export type Breach = {
  /** The repository path of a relative import. */
  target: string | undefined;
  /** The layer, package or module of Node that is imported; undefined: a path of no layer. */
  source: string | undefined;
  /** The layer may have nothing of it, only its types, or all but its chance. */
  allowed: "nothing" | "types" | "no chance";
};

/** The names of node:crypto that introduce randomness; the whole module has them all. */
const isChance = (name: string): boolean => /^(\*|random|generate|getRandom|webcrypto)/.test(name);

/** The reason why the layer of a file may not have an import; undefined where it may. */
export function breachOf(path: string, layer: string, wanted: Import): Breach | undefined {
  const { specifier, names, types } = wanted;
  const target = specifier.startsWith(".") ? resolved(path, specifier) : undefined;
  const source = target === undefined ? specifier : layerOf(target);
  if (target !== undefined && source === layer) return undefined;
  // A package may have a layer's name.
  const isNamesake = target === undefined && specifier in layers;
  const row = source === undefined || isNamesake ? [] : layers[layer]!;
  if (row.includes(`types:${source}`)) return types ? undefined : { target, source, allowed: "types" };
  if (!row.includes(source!)) return { target, source, allowed: "nothing" };
  const hasChance = pure.includes(layer) && source === "node:crypto" && !types && names.some(isChance);
  return hasChance ? { target, source, allowed: "no chance" } : undefined;
}

/** The path of a file's relative import; one outside of the repository begins with `..`. */
function resolved(file: string, to: string): string {
  const parts = file.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") {
      if (parts.length === 0 || parts.at(-1) === "..") parts.push("..");
      else parts.pop();
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
