/** A list that grows at both ends: new items above, older ones below on demand. */
import { ask, reasonOf } from "./ask.ts";
import { arrange, el, write } from "./dom.ts";
import { meanings } from "./meanings.ts";

export type Listing<Item> = {
  path: string;
  /** The answer's member with the items, newest first. */
  field: string;
  key(item: Item): string;
  row(item: Item): Node[];
  /** The text for an empty list. */
  empty: string;
  /** Narrows the list; another answer than before empties it. */
  filter?(): { query: Record<string, string>; key: string | undefined };
};

export type List = {
  /** Requests the newest items and shows changes; returns true on success and reports a failure. */
  refresh(): Promise<boolean>;
};

type Row = { key: string; json: string; element: HTMLElement };
type Page = { next?: string | number | null } & Record<string, unknown>;

const PAGE = 50;

class Superseded extends Error {}

export function openList<Item>(place: HTMLElement, listing: Listing<Item>): List {
  const rows = el("ul", { class: "rows", "aria-busy": "true" });
  const status = el("p", { class: "message", role: "status" }, "Loading…");
  const more = el("button", { type: "button", class: "more" }, "Load more");
  more.hidden = true;
  place.append(rows, status, more);
  let shown: Row[] = [];
  let next: string | number | null = null;
  let narrowed = "";

  const fetched = async (before?: string | number) => {
    const { query, key } = listing.filter?.() ?? { query: {}, key: undefined };
    const now = JSON.stringify([query, key]);
    if (now !== narrowed) [narrowed, shown, next] = [now, [], null];
    const page = await ask<Page>(
      listing.path,
      { limit: PAGE, ...query, ...(before !== undefined && { before }) },
      key,
    );
    await meanings();
    // Another filter was chosen meanwhile.
    if (now !== narrowed) throw new Superseded();
    const known = new Map(shown.map((row) => [row.key, row]));
    const items = page[listing.field] as Item[];
    return { next: page.next ?? null, rows: items.map((item) => rowOf(listing, item, known)) };
  };
  const show = () => {
    arrange(
      rows,
      shown.map(({ element }) => element),
    );
    rows.removeAttribute("aria-busy");
    more.hidden = next === null;
    write(status, shown.length === 0 ? listing.empty : "");
  };
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      show();
      return true;
    } catch (error) {
      if (error instanceof Superseded) return true;
      write(status, `${reasonOf(error)} ${listing.filter ? "" : "Trying again."}`.trim());
      return false;
    }
  };

  more.addEventListener("click", async () => {
    more.disabled = true;
    await attempt(async () => {
      const from = next!;
      const older = await fetched(from);
      // The shown items may have been replaced meanwhile.
      if (next !== from) return;
      const keys = new Set(shown.map(({ key }) => key));
      shown = [...shown, ...older.rows.filter(({ key }) => !keys.has(key))];
      next = older.next;
    });
    more.disabled = false;
  });

  return {
    refresh: () =>
      attempt(async () => {
        const newest = await fetched();
        const keys = new Set(newest.rows.map(({ key }) => key));
        // If no shown item is among the new ones, more than a page has arrived and the list has a gap.
        const joined = shown.some(({ key }) => keys.has(key));
        if (!joined || shown.length <= newest.rows.length) next = newest.next;
        shown = [...newest.rows, ...(joined ? shown.filter(({ key }) => !keys.has(key)) : [])];
      }),
  };
}

/** Reuses an item's row if it is unchanged. */
function rowOf<Item>(listing: Listing<Item>, item: Item, known: ReadonlyMap<string, Row>): Row {
  const key = listing.key(item);
  const json = JSON.stringify(item);
  const row = known.get(key);
  return row?.json === json ? row : { key, json, element: el("li", {}, ...listing.row(item)) };
}
