import MarkdownIt, { type Token } from "markdown-it";
import { type Markup, markup } from "../../../web/html.ts";

export type Section = { level: number; title: string; anchor: string; text: string };

export type Rendering = { title: string; lead: string; body: Markup; sections: Section[] };

const escaped = new MarkdownIt().utils.escapeHtml;

/** Recognizes only the syntax that our few examples in shell, JSON and TypeScript use. */
const TOKEN =
  /(?<comment>(?<=^|\s)(?:#|\/\/) .*$)|(?<name>"[^"\n]*"(?=\s*:))|(?<text>"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)|(?<option>(?<=\s)--?[a-z][\w-]*)/gm;

function coloured(code: string): string {
  const parts: string[] = [];
  let end = 0;
  for (const { 0: token, index, groups = {} } of code.matchAll(TOKEN)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    parts.push(escaped(code.slice(end, index)), `<span class="token-${kind}">${escaped(token)}</span>`);
    end = index + token.length;
  }
  return parts.join("") + escaped(code.slice(end));
}

/** A block of code as HTML. */
export const block = (code: string) => `<pre tabindex="0"><code>${coloured(code)}</code></pre>\n`;

/** Code to run or to paste; the page's script shows the button. */
const copyable = ({ content, info }: Token): string =>
  info === "text"
    ? block(content)
    : `<div class="call">${block(content)}<button type="button" class="copy" aria-label="Copy the code" hidden></button></div>\n`;

export type Destination = string | { file: string };

export type Size = { width: string; height: string };

/** `sizeOf`: a picture's size in pixels, so that nothing moves when it has loaded. */
export function rendering(
  source: string,
  linkOf: (target: string) => Destination,
  sizeOf: (src: string) => Size | undefined = () => undefined,
): Rendering {
  const markdown = new MarkdownIt({ html: false });
  markdown.core.ruler.push("destinations", (state) => {
    for (const token of state.tokens)
      if (token.children) {
        token.children = ledOn(token.children, linkOf, state.Token);
        for (const image of token.children.filter(({ type }) => type === "image"))
          for (const [name, value] of Object.entries(sizeOf(String(image.attrGet("src"))) ?? {}))
            image.attrSet(name, value);
      }
  });
  const { rules } = markdown.renderer;
  rules.table_open = () => '<div class="wide-table" tabindex="0"><table>\n';
  rules.table_close = () => "</table></div>\n";
  rules.th_open = (tokens, at) => opening(tokens[at + 1]?.content === "" ? "td" : "th", tokens[at]!);
  rules.th_close = (tokens, at) => (tokens[at - 1]?.content === "" ? "</td>" : "</th>");
  rules.td_open = (tokens, at) => opening("td", tokens[at]!);
  rules.fence = (tokens, at) => copyable(tokens[at]!);
  rules.code_block = (tokens, at) => block(tokens[at]!.content);

  const tokens = markdown.parse(source.replaceAll(/^<!--.*?-->\n/gms, ""), {});
  const sections: Section[] = [];
  const used = new Map<string, number>();
  tokens.forEach((token, at) => {
    if (token.type === "heading_open") {
      const title = textOf(tokens[at + 1]?.children ?? []);
      const name = anchorOf(title);
      const times = used.get(name) ?? 0;
      used.set(name, times + 1);
      const anchor = times === 0 ? name : `${name}-${times}`;
      token.attrSet("id", anchor);
      sections.push({ level: Number(token.tag.slice(1)), title, anchor, text: "" });
    } else if (token.type === "inline" && tokens[at - 1]?.type !== "heading_open") {
      const section = sections.at(-1);
      if (section) section.text += `${textOf(token.children ?? [])} `;
    }
  });
  const [first] = sections;
  return {
    title: first?.title ?? "",
    lead: first?.text.split(/(?<=\.) /)[0] ?? "",
    body: markup(markdown.renderer.render(tokens, markdown.options, {})),
    sections,
  };
}

/** The start tag of a table cell. The pages' policy allows classes, but no inline styles. */
const opening = (tag: "td" | "th", cell: Token) =>
  cell.attrGet("style") === "text-align:right" ? `<${tag} class="figure">` : `<${tag}>`;

/** Replaces the link to a file that is not served by the file's name. */
function ledOn(
  children: readonly Token[],
  linkOf: (target: string) => Destination,
  Made: typeof Token,
): Token[] {
  const led: Token[] = [];
  let named: { file: string; from: number } | undefined;
  for (const child of children) {
    if (child.type === "link_close" && named) {
      const { file, from } = named;
      named = undefined;
      const code = new Made("code_inline", "code", 0);
      code.content = file;
      code.attrSet("title", "A file of the repository");
      if (file.includes(textOf(led.slice(from)))) led.splice(from, led.length, code);
      else led.push(wordsOf(" (", Made), code, wordsOf(")", Made));
      continue;
    }
    if (child.type === "image") {
      const destination = linkOf(String(child.attrGet("src") ?? ""));
      if (typeof destination === "string") child.attrSet("src", destination);
    }
    if (child.type === "link_open") {
      const destination = linkOf(String(child.attrGet("href") ?? ""));
      if (typeof destination !== "string") {
        named = { file: destination.file, from: led.length };
        continue;
      }
      child.attrSet("href", destination);
    }
    led.push(child);
  }
  return led;
}

function wordsOf(content: string, Made: typeof Token): Token {
  const words = new Made("text", "", 0);
  words.content = content;
  return words;
}

type InlineToken = { type: string; content: string };

const textOf = (children: readonly InlineToken[]): string =>
  children.map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");

/** The anchor that GitHub gives a heading, because our links use those. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
