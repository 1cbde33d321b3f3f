/** HTML as text that cannot be mistaken: whatever is put in is escaped, unless it is markup already. */

const MARK = Symbol("markup");

/** Text that is HTML already. */
export type Markup = { readonly [MARK]: string };

export type Part = Markup | string | number | undefined | readonly Part[];

/** A template of HTML; text in it is escaped, markup and lists of both stand as they are, `undefined` as nothing. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup =>
  markup(String.raw({ raw: strings }, ...parts.map(written)));

/** Vouches that a text is HTML. */
export const markup = (text: string): Markup => ({ [MARK]: text });

export const written = (part: Part): string => {
  if (part === undefined) return "";
  if (Array.isArray(part)) return part.map(written).join("");
  if (typeof part === "object") return (part as Markup)[MARK];
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
};

/** Sentences in which backticks stand around code. */
export const prose = (text: string): Part[] =>
  text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
