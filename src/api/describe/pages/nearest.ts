/** The pages whose address or name is near a missing one. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { atFirstUse } from "../../../core/model/first-use.ts";
import { isNear } from "../../../web/near-words.ts";
import type { Operation } from "../../declare/operation.ts";
import { PACKAGE } from "../explorer.ts";
import { PLACES } from "./places.ts";

export type NearPage = { path: string; title: string };

const MOST = 6;
/** Parts of addresses that say nothing about a page. */
const COMMON = new Set(["docs", "operations", "v1", "agent", "html", "index", "page", "soul"]);

/** These files of docs/ are parts of the index. */
const INDEXED = new Set(["README.md", "operations.md"]);

const guides = atFirstUse(async (): Promise<NearPage[]> => {
  const folder = join(PACKAGE, "docs");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".md") && !INDEXED.has(file));
  return Promise.all(
    files.map(async (file) => ({
      path: `/docs/${file.slice(0, -".md".length)}`,
      title: (await readFile(join(folder, file), "utf8")).split("\n", 1)[0]!.replace(/^# /, ""),
    })),
  );
});

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !COMMON.has(word));

/** The nearest first; a page that shares no word with the path is left out. */
export async function nearestTo(
  path: string,
  operations: readonly Pick<Operation, "name" | "summary">[],
): Promise<NearPage[]> {
  const words = wordsOf(path);
  const pages = [
    ...PLACES.map(([at, title]) => ({ path: at as string, title: title as string, names: `${at} ${title}` })),
    ...(await guides()).map((guide) => ({ ...guide, names: `${guide.path} ${guide.title}` })),
    ...operations.map(({ name, summary }) => ({
      path: `/docs/operations/${name}`,
      title: summary,
      names: name,
    })),
  ];
  return pages
    .map((page) => {
      const names = wordsOf(page.names);
      const shared = new Set(words.filter((word) => names.some((name) => isNear(word, name))));
      return { ...page, score: shared.size / (words.length + new Set(names).size - shared.size) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MOST)
    .map(({ path: at, title }) => ({ path: at, title }));
}
