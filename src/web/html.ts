/** A template for HTML that escapes every value which is not markup already. */

const MARK = Symbol("markup");

export type Markup = { readonly [MARK]: string };

export type Part = Markup | string | number | undefined | readonly Part[];

export const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup =>
  markup(String.raw({ raw: strings }, ...parts.map(written)));

/** Marks a text as HTML; it is not escaped. */
export const markup = (text: string): Markup => ({ [MARK]: text });

export const written = (part: Part): string => {
  if (part === undefined) return "";
  if (Array.isArray(part)) return part.map(written).join("");
  if (typeof part === "object") return (part as Markup)[MARK];
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
};

export const prose = (text: string): Part[] =>
  text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
