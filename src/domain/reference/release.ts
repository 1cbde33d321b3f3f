import { refuse } from "../../core/model/refusal.ts";

/** The facts of every release about the vintage that it makes current. */
type Release = { dataset: string; vintage: string; replaces: string | null };

/**
 * True if a release changes the current vintage. One built upon another vintage than the current one is refused: it
 * may lack what came between.
 */
export function isNews({ dataset, vintage, replaces }: Release, current: string | null): boolean {
  if (vintage === current) return false;
  if (replaces !== current)
    refuse("conflict", `dataset ${dataset} has moved on to vintage ${current}: import the files again`);
  return true;
}
