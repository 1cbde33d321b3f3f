/** The page of all errors. The `type` of a problem links to an anchor here. */

import type { ProblemType } from "../../../core/model/problem.ts";
import { html } from "../../../web/html.ts";
import type { Catalogue } from "../../declare/operation.ts";
import { type Document, wants } from "../document.ts";
import { type PageParts, pageOf } from "./layout.ts";
import { rendering } from "./markdown.ts";

export const problemsDocument = ({ problems }: Catalogue, { embedded_chain }: PageParts): Document => ({
  path: "/problems",
  type: "text/html",
  summary: "Every kind of error; as Markdown for Accept: text/markdown",
  render: (_app, { accept }) => {
    const source = problemsText(problems);
    if (wants("text/markdown", accept))
      return { type: "text/markdown", headers: { Vary: "Accept" }, body: source };
    return pageOf({
      title: "Problems · Tallystick",
      description: "Every kind of error that a call can meet, with its status and meaning.",
      place: "/docs",
      embedded_chain,
      body: html`<article class="prose">${rendering(source, (target) => target).body}</article>`,
    });
  },
});

export const problemsText = (types: readonly ProblemType[]): string =>
  [
    "# Problems",
    "",
    "Every error is `application/problem+json` (RFC 9457). Its `type` is the address of one of these kinds.",
    "[Troubleshooting](/docs/troubleshooting) has causes and remedies.",
    "",
    ...types.flatMap(({ slug, status, title, meaning }) => [
      `## ${slug}`,
      "",
      `${status} ${title}. ${meaning}`,
      "",
    ]),
  ].join("\n");
