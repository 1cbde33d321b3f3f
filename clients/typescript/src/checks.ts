/** One statement of a receipt or a proof, and whether it holds. */
export type Check = { name: string; ok: boolean; detail: string };

/** `ok` if every check holds; the first that fails ends the list. */
export type Verdict = { ok: boolean; checks: Check[] };

export function need(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}

type Step = [name: string, holds: () => Promise<string> | string];

/** Runs the steps in order up to the first that throws: what follows would rest on it. */
export async function judged(steps: Step[]): Promise<Verdict> {
  const checks: Check[] = [];
  for (const [name, holds] of steps) {
    try {
      checks.push({ name, ok: true, detail: await holds() });
    } catch (error) {
      checks.push({ name, ok: false, detail: error instanceof Error ? error.message : String(error) });
      return { ok: false, checks };
    }
  }
  return { ok: true, checks };
}
