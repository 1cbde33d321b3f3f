/** Guides are short, and each of their blocks is run or says why not. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blocksOf, GUIDES, missingLine, textOf } from "./guides.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Pages whose fenced code another test runs or reads. */
const ELSEWHERE: Record<string, string> = {
  "README.md": "test/clients/plain.test.ts",
  "docs/clients.md": "test/clients/plain.test.ts",
};

const pages = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)].filter((page) =>
  page.endsWith(".md"),
);

test("the blocks are found", () => {
  const count = (page: string) => blocksOf(textOf(page)).length;
  expect(count("docs/quickstart.md")).toBeGreaterThan(8);
  expect(GUIDES.reduce((sum, page) => sum + count(page), 0)).toBeGreaterThan(70);
  const marked =
    "## A\n\nSave as `a.mjs`:\n\n<!-- keeps running -->\n\n<!-- not run: why -->\n\n```ts\n# x\n```\n";
  expect(blocksOf(marked)).toEqual([
    { language: "ts", text: "# x\n", reason: "why", keeps_running: true, stops: false, file: "a.mjs" },
  ]);
});

describe.each(GUIDES)("%s", (page) => {
  const blocks = blocksOf(textOf(page));
  const run = blocks.filter(({ language, reason }) => language === "sh" && reason === undefined);

  test("has blocks that are commands, their output, or saved files that a command runs", () => {
    for (const { language, text, reason, file } of blocks) {
      if (reason !== undefined || ["sh", "text"].includes(language)) continue;
      if (language === "json" && file === undefined) {
        expect(() => JSON.parse(text), text).not.toThrow();
        continue;
      }
      expect(file, `Save as \`…\` before: ${text}`).toBeDefined();
      const commands = blocks.filter((one) => one.language === "sh").map((one) => one.text);
      expect(commands.join("\n"), "a command that uses the file").toContain(file);
    }
  });

  test("shows output after commands that are run", () => {
    blocks.forEach(({ language, text }, at) => {
      if (language === "text") expect(run, text).toContain(blocks[at - 1]);
    });
  });
});

test.each(pages.filter((page) => !GUIDES.includes(page) && !(page in ELSEWHERE)))(
  "%s has no fenced code that nothing runs",
  (page) => {
    const left = blocksOf(textOf(page)).filter(
      ({ language, reason }) => !["", "text", "json", "sql"].includes(language) && reason === undefined,
    );
    expect(left.map(({ text }) => text)).toEqual([]);
  },
);

test.each(["quickstart", "concepts", "agent-builder", "auditor", "analyst", "worker"])(
  "docs/%s.md has at most 900 words",
  (name) => {
    expect(textOf(`docs/${name}.md`).split(/\s+/).length).toBeLessThanOrEqual(900);
  },
);

/** The guides without a flow. */
const PLAIN = ["quickstart", "cookbook", "which-operation", "troubleshooting"].map(
  (name) => `docs/${name}.md`,
);

test.each(GUIDES.filter((page) => !PLAIN.includes(page)))("%s shows its flow in a diagram", (page) => {
  const [, alt, name] = /^!\[(.{20,})\]\(pictures\/([\w-]+\.svg)\)$/m.exec(textOf(page)) ?? [];
  expect(alt, "a picture has an alternative text").toBeDefined();
  const svg = textOf(`docs/pictures/${name}`);
  for (const part of ["<title", "<desc", "prefers-color-scheme: dark"]) expect(svg).toContain(part);
  expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', ""), "nothing from elsewhere").not.toMatch(
    /https?:|@import|url\((?!#)/,
  );
});

test("each shown line is searched after the line before it, with gaps allowed", () => {
  expect(missingLine("a…c\nd", "abc\nd")).toBeUndefined();
  expect(missingLine("d\na…c", "abc\nd")).toBe("a…c");
  expect(missingLine("x.", "xy")).toBe("x.");
});
