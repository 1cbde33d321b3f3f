/** The commands on our pages: lines of shell blocks, and our commands within sentences. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GUIDES } from "./guides.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A command on a page; `in_block`: to be pasted, not only mentioned. */
export type Documented = { page: string; command: string; in_block: boolean };

/** Generated from the code, or about the past. */
const isPage = (path: string) =>
  path.endsWith(".md") &&
  !path.startsWith("decisions/") &&
  !["operations.md", "events.md", "command-line.md"].includes(path);

const pages = () => [
  "README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter(isPage)
    .map((path) => `docs/${path}`),
];

const PROGRAMS =
  /^(?:bin\/tallystick|tallystick|curl|npm|npx|node(?! *=)|python3|openssl|docker|pg_dump|pg_basebackup|pg_restore|psql|createdb|systemctl|kubectl|\.ci\/run)(?=\s|$)/;

/** All of them, in the order of the pages. */
export function documentedCommands(): Documented[] {
  return pages().flatMap((page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    const blocks = [...text.matchAll(/(?:^ {4}.*\n?)+/gm)].map(([block]) => block.replaceAll(/^ {4}/gm, ""));
    // The guides' own test runs theirs.
    const isGuide = GUIDES.includes(page);
    const fenced = isGuide
      ? []
      : [...text.matchAll(/^```(?:sh|bash)\n(.*?)^```/gms)].map(([, block]) => block!);
    const pasted = [...blocks, ...fenced]
      .flatMap((block) => block.replaceAll(/\\\n\s*/g, "").split("\n"))
      .map((line) => withoutRemark(line.trim()));
    const spoken = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
    return [
      ...pasted.map((command) => ({ page, command, in_block: true })),
      ...spoken
        .filter(
          (code) =>
            /^(bin\/)?tallystick \S/.test(code) || /^(npm (run|test|start)|docker compose)/.test(code),
        )
        .map((command) => ({ page, command, in_block: false })),
    ].filter(({ command }) => PROGRAMS.test(command));
  });
}

/** A command's explanation: after a hash, or far to its right. */
const withoutRemark = (line: string) => line.replace(/\s+# .*$/, "").replace(/\s{4,}\S.*$/, "");

/** A command line's words, as a shell splits them, without its variables. */
export const wordsOf = (command: string): string[] =>
  [...command.matchAll(/(?:"[^"]*"|'[^']*'|\S)+/g)].map(([word]) => word.replaceAll(/["']/g, ""));
