/** Creates elements without markup, so that the log's texts are never parsed as HTML. */

type Attributes = Record<string, string | boolean | undefined>;

/** An element. A true attribute is empty, a false or undefined one is absent; strings become text. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  element.append(...children);
  return element;
}

/** A table that scrolls sideways where it is wider than the page; `rows`: the cells of each. */
export const wideTable = (heads: readonly string[], rows: readonly HTMLElement[][]): HTMLElement =>
  el(
    "div",
    { class: "wide-table", tabindex: "0" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells))),
    ),
  );

/** The only element of page.html with this selector. */
export function part<Wanted extends HTMLElement = HTMLElement>(
  selector: string,
  root: ParentNode = document,
): Wanted {
  const found = root.querySelector<Wanted>(selector);
  if (!found) throw new Error(`page.html has no ${selector}`);
  return found;
}

/** Sets an element's children and leaves correct ones in place, to preserve focus and selection. */
export function arrange(parent: Element, children: readonly Element[]): void {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

/** Writes only changed text, so that a screen reader announces only changes. */
export function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** A definition list of names and values, without undefined values. */
export function facts(pairs: Record<string, Node | string | undefined>): HTMLDListElement {
  return el(
    "dl",
    { class: "facts" },
    ...Object.entries(pairs).flatMap(([name, value]) =>
      value === undefined ? [] : [el("div", {}, el("dt", {}, name), el("dd", {}, value))],
    ),
  );
}
