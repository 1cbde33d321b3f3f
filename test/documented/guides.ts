/** The guides by job: their code blocks, each of which is run or says why not. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** In the order in which the test runs them: the first starts the service, the cookbook saves what workers use. */
export const GUIDES = [
  "quickstart",
  "concepts",
  "agent-builder",
  "auditor",
  "analyst",
  "cookbook",
  "worker",
  "which-operation",
  "troubleshooting",
  "operating",
].map((name) => `docs/${name}.md`);

/**
 * `reason`: why it is not run. `keeps_running`: it does not end by itself.
 * `file`: the name under which the text before has it saved.
 */
export type Block = {
  language: string;
  text: string;
  reason: string | undefined;
  keeps_running: boolean;
  /** The reader ends the program that was started last before it. */
  stops: boolean;
  file: string | undefined;
};

const FENCED = /(?<marks>(?:^<!-- [^\n]* -->\n\n?)*)^```(?<language>\w*)\n(?<text>.*?)^```$/gms;

export const textOf = (page: string): string => readFileSync(join(ROOT, page), "utf8");

/** Fenced blocks of a page, in order. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(FENCED)].map(({ groups = {}, index }) => {
    const marks = groups.marks ?? "";
    const paragraph = text.slice(0, index).trimEnd().split("\n\n").at(-1)!;
    return {
      language: groups.language!,
      text: groups.text!,
      reason: /<!-- not run: (.+?) -->/.exec(marks)?.[1],
      stops: marks.includes("<!-- the program started last is stopped -->"),
      keeps_running: marks.includes("<!-- keeps running -->"),
      file: /Save as `([\w.-]+)`/.exec(paragraph)?.[1],
    };
  });
}

/** The first line of `shown` that `output` lacks; lines come in order, and `…` stands for anything. */
export function missingLine(shown: string, output: string): string | undefined {
  // Figures have narrow spaces, which nobody types.
  let rest = output.replaceAll(/\p{Zs}/gu, " ");
  for (const line of shown.split("\n").filter((one) => one.trim() !== "")) {
    const pattern = line.trim().split("…").map(literally).join("[^\\n]*");
    const found = new RegExp(pattern).exec(rest);
    if (!found) return line;
    rest = rest.slice(found.index + found[0].length);
  }
  return undefined;
}

const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
