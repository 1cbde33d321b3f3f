/** A list that grows at both ends: what is new comes in above, what is older below, on demand. */
import { ask, reasonOf } from "./ask.ts";
import { arrange, el, write } from "./dom.ts";

export type Listing<Item> = {
  path: string;
  /** The member of the answer that holds the items, newest first. */
  field: string;
  key(item: Item): string;
  row(item: Item): Node[];
  /** Said where there are none. */
  empty: string;
};

export type List = {
  /** Fetches the newest, and shows what has changed; answers whether that went well, and tells where it did not. */
  refresh(): Promise<boolean>;
};

type Row = { key: string; json: string; element: HTMLElement };
type Page = { next?: string | number | null } & Record<string, unknown>;

const PAGE = 50;

export function openList<Item>(place: HTMLElement, listing: Listing<Item>): List {
  const rows = el("ul", { class: "rows", "aria-busy": "true" });
  const told = el("p", { class: "told", role: "status" }, "Loading…");
  const more = el("button", { type: "button", class: "more" }, "Load more");
  more.hidden = true;
  place.append(rows, told, more);
  let shown: Row[] = [];
  let next: string | number | null = null;

  const fetched = async (before?: string | number) => {
    const page = await ask<Page>(listing.path, { limit: PAGE, ...(before !== undefined && { before }) });
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
    write(told, shown.length === 0 ? listing.empty : "");
  };
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      show();
      return true;
    } catch (error) {
      write(told, `${reasonOf(error)} Trying again.`);
      return false;
    }
  };

  more.addEventListener("click", async () => {
    more.disabled = true;
    await attempt(async () => {
      const from = next!;
      const older = await fetched(from);
      // What is shown may have been replaced meanwhile.
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
        // Where nothing of it is known, more has come than a page holds, and what is shown no longer joins on.
        const joined = shown.some(({ key }) => keys.has(key));
        if (!joined || shown.length <= newest.rows.length) next = newest.next;
        shown = [...newest.rows, ...(joined ? shown.filter(({ key }) => !keys.has(key)) : [])];
      }),
  };
}

/** The row that shows an item already, where it says the same; else a new one. */
function rowOf<Item>(listing: Listing<Item>, item: Item, known: ReadonlyMap<string, Row>): Row {
  const key = listing.key(item);
  const json = JSON.stringify(item);
  const row = known.get(key);
  return row?.json === json ? row : { key, json, element: el("li", {}, ...listing.row(item)) };
}
