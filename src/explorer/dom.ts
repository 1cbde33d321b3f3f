/** Elements made by hand, so that nothing of the log is ever read as markup. */

type Attributes = Record<string, string | boolean | undefined>;

/** An element; an attribute that is true stands there empty, one that is false or undefined not at all; strings become text. */
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

/** The one element that page.html has for this selector. */
export function part<Wanted extends HTMLElement = HTMLElement>(
  selector: string,
  root: ParentNode = document,
): Wanted {
  const found = root.querySelector<Wanted>(selector);
  if (!found) throw new Error(`page.html has no ${selector}`);
  return found;
}

/** Makes an element's children these, and leaves alone those that stand where they belong: focus and selection stay. */
export function arrange(parent: Element, children: readonly Element[]): void {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

/** Writes text where it differs, so that a screen reader is told of changes alone. */
export function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** A definition list of names and what they are; what is undefined is left out. */
export function facts(pairs: Record<string, Node | string | undefined>): HTMLDListElement {
  return el(
    "dl",
    { class: "facts" },
    ...Object.entries(pairs).flatMap(([name, value]) =>
      value === undefined ? [] : [el("div", {}, el("dt", {}, name), el("dd", {}, value))],
    ),
  );
}
