/** The filters of the events, which the address keeps: `#events?type=KeyIssued&stream=…&own=true`. The key stays in this page. */
import { el, part } from "./dom.ts";
import { meanings } from "./meanings.ts";

const NAMES = ["type", "stream"] as const;

const field = (name: string) => part<HTMLInputElement>(`#filter-${name}`);
const own = () => part<HTMLInputElement>("#filter-own");

/** The key that the visitor typed. */
export const typedKey = (): string | undefined =>
  part<HTMLInputElement>("#log-key").value.trim() || undefined;

const inAddress = () => new URLSearchParams(location.hash.split("?")[1] ?? "");

/** The address's filter as the service reads it. */
export function filter(): { query: Record<string, string>; key: string | undefined } {
  const given = inAddress();
  const key = typedKey();
  const query = Object.fromEntries(
    [...NAMES, "own"].flatMap((name) => {
      const value = given.get(name);
      return value && (name !== "own" || key) ? [[name, value]] : [];
    }),
  );
  return { query, key };
}

/** Fills the fields from the address; `chosen` is called when the visitor has chosen others. */
export function openFilters(chosen: () => void): void {
  void meanings().then((known) =>
    part("#types").replaceChildren(...Object.keys(known).map((value) => el("option", { value }))),
  );
  part("#log-key").addEventListener("input", () => {
    own().disabled = typedKey() === undefined;
  });
  part("#filters").addEventListener("submit", (event) => {
    event.preventDefault();
    const query = new URLSearchParams();
    for (const name of NAMES) if (field(name).value.trim()) query.set(name, field(name).value.trim());
    if (own().checked && typedKey()) query.set("own", "true");
    const text = query.toString();
    const hash = `#events${text ? `?${text}` : ""}`;
    // A changed key changes no address.
    if (location.hash === hash) chosen();
    else location.hash = hash;
  });
}

export function showFilters(): void {
  const given = inAddress();
  for (const name of NAMES) field(name).value = given.get(name) ?? "";
  own().checked = given.get("own") === "true";
}
