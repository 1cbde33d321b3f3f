/** A report as the service printed it, without the printed page's own styles. */
import { el } from "../dom.ts";
import { openView } from "./host.ts";
import { drawnIn, removeActive } from "./parts.ts";

/** Only what a printed report has: a drawing or text, nothing that runs. */
function printed(html: string): Node[] {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  removeActive(body);
  return [...body.childNodes];
}

openView("report", (result) => {
  const { html } = drawnIn(result);
  const text = result.content?.find(({ type }) => type === "text")?.text ?? "";
  return html ? [el("article", { class: "report" }, ...printed(html))] : [el("pre", { tabindex: "0" }, text)];
});
