/** Numbers, times and hashes in readable form. */
import { el, part, write } from "./dom.ts";

const numbers = new Intl.NumberFormat("en");
const spans = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const moments = new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "long" });

/** 12345 as "12,345". */
export const count = (value: number): string => numbers.format(value);

/** "1 event", "2 events". */
export const counted = (value: number, noun: string, nouns = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : nouns}`;

/** "sealed 12, erased 3". */
export const sealedText = ({ values, erased }: { values: number; erased: number }): string =>
  `sealed ${count(values)}, erased ${count(erased)}`;

const UNITS: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** "2 minutes ago"; a clock difference of a few seconds is ignored. */
function relative(iso: string): string {
  const seconds = Math.round((Date.parse(iso) - Date.now()) / 1000);
  if (Math.abs(seconds) < 5) return "just now";
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size)!;
  return spans.format(Math.trunc(seconds / length), unit);
}

/** A relative time with its date as the title; other texts are unchanged. */
export function time(iso: string): HTMLElement {
  if (Number.isNaN(Date.parse(iso))) return el("span", {}, iso);
  return el("time", { datetime: iso, title: moments.format(new Date(iso)) }, relative(iso));
}

/** Updates all relative times. */
export function renewTimes(): void {
  for (const one of document.querySelectorAll("time")) write(one, relative(one.dateTime));
}

/** "3de27f6f…12b4c4": the beginning, which people compare, and the end. */
export const shorten = (text: string): string =>
  text.length <= 20 ? text : `${text.slice(0, 10)}…${text.slice(-6)}`;

/** A stream's name; the keyed hash of a private one is shortened. */
export const streamName = (stream: string): HTMLElement =>
  el("span", { class: "stream", title: stream }, /^[0-9a-f]{64}$/.test(stream) ? shorten(stream) : stream);

/** A shortened hash or key, with a button that copies all of it. */
export function copied(text: string, what: string): HTMLElement {
  return el("span", { class: "hash" }, el("code", { title: text }, shorten(text)), copyButton(text, what));
}

/** The name of a long text, with a button that copies the text. */
export const labelledCopy = (label: string, text: string, what: string): HTMLElement =>
  el("span", { class: "labelled" }, label, copyButton(text, what));

/** A button that copies `text`; none without TLS, where browsers forbid copying. */
function copyButton(text: string, what: string): HTMLElement {
  const button = el("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` });
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener("click", async () => {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    button.classList.toggle("done", done);
    part("#announcer").textContent = done ? `Copied ${what}` : `Copying ${what} was refused`;
    setTimeout(() => button.classList.remove("done"), 1_500);
  });
  return button;
}

const CHAINS = new Map([
  ["eip155:8453", { name: "Base", explorer: "https://basescan.org" }],
  ["eip155:84532", { name: "Base Sepolia", explorer: "https://sepolia.basescan.org" }],
]);

/** No explorer knows a development chain, which only this service has. */
export const developmentChain = document.documentElement.dataset.chain === "development";

/** A network's common name. */
export const chainName = (network: string): string =>
  developmentChain ? "a development chain" : (CHAINS.get(network)?.name ?? network);

/** A transaction, linked to the chain's explorer if there is one. */
export function transaction(network: string, hash: string): HTMLElement {
  const explorer =
    developmentChain || !/^0x[0-9a-f]{64}$/.test(hash) ? undefined : CHAINS.get(network)?.explorer;
  const shown = el("code", { title: hash }, shorten(hash));
  const place = explorer
    ? el("a", { href: `${explorer}/tx/${hash}`, rel: "noreferrer", target: "_blank" }, shown)
    : shown;
  return el("span", { class: "hash" }, place, copyButton(hash, "the transaction's hash"));
}
