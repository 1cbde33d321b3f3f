/** An answer as JSON, as a table and as a picture; a 402 in words. */
import { textIn } from "./ask.ts";
import { el, facts, wideTable } from "./dom.ts";
import { figuresInPng } from "./figures.ts";
import { shorten } from "./format.ts";
import { showFiguresOn } from "./hover.ts";

/** A response, its duration, and its price in micro-USDC. */
export type TimedResponse = { response: Response; ms: number; paid_micro: string | undefined };

/** A longer answer is cut, because it would freeze the browser. */
const MOST_LETTERS = 200_000;
const MOST_ROWS = 500;
const MICRO = 1_000_000;

export const showFailure = (place: HTMLElement, text: string) =>
  place.replaceChildren(el("p", { class: "trouble" }, text));

/** Returns the answer's JSON, if it is any. */
export async function showAnswer(
  place: HTMLElement,
  answered: TimedResponse,
  drawn: (() => Promise<TimedResponse>) | undefined,
): Promise<unknown> {
  const { response } = answered;
  const text = await textIn(response);
  const value = jsonIn(text);
  const views: [string, () => HTMLElement][] = [["JSON", () => asText(text, value)]];
  const rows = response.ok ? rowsIn(value) : undefined;
  if (rows) views.push(["Table", () => table(rows)]);
  const texts = response.ok ? textsIn(value) : [];
  if (texts.length > 0) views.push(["Text", () => textView(texts)]);
  const again = answered.paid_micro === undefined ? "Chart" : "Chart, paid again";
  if (response.ok && drawn) views.push([again, () => picture(drawn)]);
  place.replaceChildren(
    heading(answered),
    ...(response.status === 402 ? [explained(value)] : []),
    ...tabs(views),
  );
  return value;
}

function heading({ response, ms, paid_micro }: TimedResponse): HTMLElement {
  const event = response.headers.get("Event-Id");
  const settled = response.headers.get("PAYMENT-RESPONSE");
  const paid =
    paid_micro !== undefined && settled !== null ? `${Number(paid_micro) / MICRO} USDC` : undefined;
  return el(
    "div",
    {},
    el(
      "p",
      { class: `verdict ${response.ok ? "good" : response.status === 402 ? "" : "bad"}`.trim() },
      `${response.status} ${response.ok ? "answered" : response.status === 402 ? "Payment Required" : "refused"} in ${Math.round(ms)} ms`,
    ),
    facts({
      Paid: paid,
      Settlement: settled === null ? undefined : transactionIn(settled),
      "In the log": event === null ? undefined : el("a", { href: `/log#events/${event}` }, shorten(event)),
    }),
  );
}

function transactionIn(header: string): string | undefined {
  try {
    const { transaction } = JSON.parse(atob(header)) as { transaction?: string };
    return transaction === undefined ? undefined : shorten(transaction);
  } catch {
    return undefined;
  }
}

type Offer = { maxAmountRequired?: string; payTo?: string; network?: string; description?: string };

/** Explains a 402 and the next step. */
function explained(value: unknown): HTMLElement {
  const [offer] = (value as { accepts?: Offer[] } | undefined)?.accepts ?? [];
  if (!offer) return el("p", {}, "This operation needs a payment or an API key.");
  const price = `${Number(offer.maxAmountRequired) / MICRO} USDC`;
  return el(
    "ol",
    { class: "explained" },
    el("li", {}, `This call costs ${price}. Nothing was charged, and nothing was done.`),
    el(
      "li",
      {},
      `The header PAYMENT-REQUIRED says what to sign: a transfer of ${price} to ${shorten(offer.payTo ?? "")} (EIP-3009), on ${offer.network}.`,
    ),
    el(
      "li",
      {},
      "A wallet signs it. It sends no transaction and needs no ether: the service carries the transfer to the chain.",
    ),
    el(
      "li",
      {},
      "The same call with the signature in PAYMENT-SIGNATURE is answered, and PAYMENT-RESPONSE names the transaction. A call that is refused costs nothing.",
    ),
  );
}

/** Alternative views of an answer; the pressed button marks the visible one. */
function tabs(views: [string, () => HTMLElement][]): HTMLElement[] {
  const pane = el("div", { class: "pane" });
  const buttons = views.map(([name, make]) => {
    const button = el("button", { type: "button", "aria-pressed": "false" }, name);
    let made: HTMLElement | undefined;
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      made ??= make();
      pane.replaceChildren(made);
    });
    return button;
  });
  buttons[0]?.click();
  return [
    el("div", { class: "views", role: "group", "aria-label": "Forms of the answer" }, ...buttons),
    pane,
  ];
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asText(text: string, value: unknown): HTMLElement {
  const whole = value === undefined ? text : JSON.stringify(value, null, 2);
  const shown = whole.slice(0, MOST_LETTERS);
  const pre = el("pre", { tabindex: "0" });
  if (value === undefined) pre.append(shown);
  else pre.append(...coloured(shown));
  if (shown.length < whole.length) pre.append("\n… and more");
  return pre;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON with coloured names, texts and values. */
function coloured(json: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of json.matchAll(TOKEN)) {
    parts.push(json.slice(end, match.index));
    const [whole, text, colon] = match;
    const kind = text === undefined ? "token-option" : colon === undefined ? "token-text" : "token-name";
    parts.push(el("span", { class: kind }, text ?? whole));
    if (colon !== undefined) parts.push(colon);
    end = match.index + whole.length;
  }
  return [...parts, json.slice(end)];
}

type LongText = { path: string; text: string };

/** Texts of several lines, such as the Markdown of a skill: JSON shows them as one line. */
function textsIn(value: unknown, path = ""): LongText[] {
  if (typeof value === "string") return value.trim().includes("\n") ? [{ path, text: value }] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, path ? `${path}.${name}` : name));
}

const textView = (texts: readonly LongText[]) =>
  el(
    "div",
    {},
    ...texts.flatMap(({ path, text }) => [
      el("p", { class: "soft" }, path),
      el("pre", { tabindex: "0" }, text.slice(0, MOST_LETTERS)),
    ]),
  );

export type Row = Record<string, unknown>;

/** The longest list of objects in an answer. */
export function rowsIn(value: unknown): Row[] | undefined {
  const lists: Row[][] = [];
  const walk = (part: unknown, depth: number) => {
    if (depth > 3 || typeof part !== "object" || part === null) return;
    if (
      Array.isArray(part) &&
      part.length > 0 &&
      part.every((one) => typeof one === "object" && one !== null && !Array.isArray(one))
    )
      lists.push(part as Row[]);
    else if (!Array.isArray(part)) for (const one of Object.values(part)) walk(one, depth + 1);
  };
  walk(value, 0);
  return lists.sort((a, b) => b.length - a.length)[0];
}

export function table(rows: Row[]): HTMLElement {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown) =>
    el(
      "td",
      { class: typeof value === "number" ? "figure" : undefined },
      value === undefined || value === null
        ? "–"
        : typeof value === "object"
          ? JSON.stringify(value)
          : typeof value === "number"
            ? value.toLocaleString("en", { maximumFractionDigits: 6, useGrouping: Math.abs(value) >= 10_000 })
            : String(value),
    );
  const shown = rows.slice(0, MOST_ROWS);
  const made = wideTable(
    columns,
    shown.map((row) => columns.map((name) => cell(row[name]))),
  );
  if (shown.length < rows.length)
    made.append(el("p", { class: "soft" }, `${rows.length - shown.length} more rows are in the JSON.`));
  return made;
}

/** The service's picture of the answer: drawn here, since our pages load pictures only from addresses. */
function picture(drawn: () => Promise<TimedResponse>): HTMLElement {
  const place = el("div", { class: "picture" }, el("p", { class: "soft" }, "Loading the picture…"));
  void (async () => {
    try {
      const { response } = await drawn();
      if (!response.ok)
        return showFailure(place, `The service answered ${response.status} in place of the picture.`);
      const png = await response.arrayBuffer();
      const image = await createImageBitmap(new Blob([png]));
      const canvas = el("canvas", {
        width: String(image.width),
        height: String(image.height),
        role: "img",
        "aria-label": "The answer as a chart; its figures are in the table",
      });
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      place.replaceChildren(canvas);
      showFiguresOn(canvas, figuresInPng(png));
    } catch {
      showFailure(place, "The picture could not be shown.");
    }
  })();
  return place;
}
