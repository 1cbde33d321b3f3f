/** Text in HTML, and Markdown as HTML. */
import { expect, test } from "vitest";
import { rendering } from "../../src/api/describe/pages/markdown.ts";
import { html, prose, written } from "../../src/web/html.ts";

test("text is escaped in every position, markup is not", () => {
  const hostile = `"><img src=x onerror='alert(1)'>&`;
  const whole = written(html`<p title="${hostile}">${[html`<b>${hostile}</b>`, 7, undefined]}</p>`);
  const escaped = "&#34;&#62;&#60;img src=x onerror=&#39;alert(1)&#39;&#62;&#38;";
  expect(whole).toBe(`<p title="${escaped}"><b>${escaped}</b>7</p>`);
  expect(written(prose("a `<b>` c"))).toBe("a <code>&#60;b&#62;</code> c");
});

test("Markdown has anchors as GitHub names them, links to the service's pages, and no HTML of its own", () => {
  const page = rendering(
    "# A page\n\nIt says so. And more.\n\n## What it *is*, `here`\n\n[on](other.md#x) <script>alert(1)</script>\n\n## What it is, here\n\n    curl -s 'http://x' # so\n\n| a |\n|---|\n| b |\n",
    (target) => `/docs/${target.replace(".md", "")}`,
  );
  expect(page.title).toBe("A page");
  expect(page.lead).toBe("It says so.");
  expect(page.sections.map(({ anchor }) => anchor)).toEqual([
    "a-page",
    "what-it-is-here",
    "what-it-is-here-1",
  ]);
  const body = written(page.body);
  expect(body).toContain('<h2 id="what-it-is-here-1">');
  expect(body).toContain('<a href="/docs/other#x">on</a> &lt;script&gt;');
  expect(body).toContain(
    '<span class="token-option">-s</span> <span class="token-text">\'http://x\'</span> <span class="token-comment"># so',
  );
  expect(body).toContain('<div class="wide-table" tabindex="0"><table>');
});

test("a file that is not served is named without a link", () => {
  const page = rendering(
    "# Files\n\n([measured](../bench/RESULTS.md#so)) by [**docker**/run](../docker/run), [a](b.md).\n",
    (target) => (target.endsWith("b.md") ? "/docs/b" : { file: target.replace(/^\.\.\/|#.*$/g, "") }),
  );
  const named = (file: string) => `<code title="A file of the repository">${file}</code>`;
  expect(written(page.body)).toContain(
    `<p>(measured (${named("bench/RESULTS.md")})) by ${named("docker/run")}, <a href="/docs/b">a</a>.</p>`,
  );
  expect(page.sections[0]?.text).toContain("bench/RESULTS.md");
});
