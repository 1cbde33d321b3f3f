/** The page at /log: chooses the view by the address, and refreshes it while it is visible. */
import { ask, reasonOf, Unanswered } from "./ask.ts";
import { part, write } from "./dom.ts";
import { showEvent } from "./event.ts";
import { openFilters, showFilters } from "./filters.ts";
import { renewTimes } from "./format.ts";
import { type List, openList } from "./list.ts";
import { openLogSearch } from "./log-search.ts";
import { anchors, checkpoints, events, streams } from "./sections.ts";
import { showStatus } from "./status.ts";
import { openVerify } from "./verify.ts";
import type { Status } from "./wire.ts";

const TURN_S = 5;

const lists: Record<string, List> = {
  events: openList(part("#view-events"), events),
  streams: openList(part("#view-streams"), streams),
  checkpoints: openList(part("#view-checkpoints"), checkpoints),
  anchors: openList(part("#view-anchors"), anchors),
};
const VIEWS = [...Object.keys(lists), "event", "verify"];

/** `#streams` is a view, `#events/<id>` one event; anything else shows the events. */
function place(): { view: string; event_id?: string } {
  const [view = "", id] = location.hash.slice(1).replace(/\?.*$/, "").split("/");
  if (view === "events" && id) return { view: "event", event_id: decoded(id) };
  return { view: view !== "event" && VIEWS.includes(view) ? view : "events" };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Each view's scroll position when it was left. */
const scrolled = new Map<string, number>();
let current: string | undefined;

function route(): void {
  const { view, event_id } = place();
  const key = location.hash;
  if (view === "events") showFilters();
  if (key === current) return;
  if (current !== undefined) scrolled.set(current, scrollY);
  const first = current === undefined;
  current = key;
  for (const name of VIEWS) part(`#view-${name}`).hidden = name !== view;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav:not(.places) a")) {
    const here = link.hash === `#${view === "event" ? "events" : view}`;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const heading = part(`#view-${view} h2`);
  if (event_id === undefined) document.title = `${heading.textContent} · The log`;
  void renew();
  if (first) return;
  heading.focus({ preventScroll: true });
  const { offsetTop, offsetHeight } = part("header");
  scrollTo(0, scrolled.get(key) ?? Math.min(scrollY, offsetTop + offsetHeight));
}

/** The status at the view's last refresh; empty to retry. */
let seen = "";

async function renew(): Promise<void> {
  const { view, event_id } = place();
  const done = event_id === undefined ? await lists[view]?.refresh() : await showEvent(event_id);
  if (done === false) seen = "";
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Requests the log's proof status, refreshes the visible list on a change, and repeats while the page is visible. */
async function turn(): Promise<void> {
  if (document.hidden) return;
  let wait = TURN_S;
  const trouble = part("#trouble");
  try {
    const status = await ask<Status>("/log/status");
    showStatus(status);
    const { events: size, checkpoint, anchor } = status;
    const state = [size, checkpoint?.size, anchor?.transaction, anchor?.firmness].join();
    trouble.hidden = true;
    if (state !== seen) {
      seen = state;
      await renew();
    }
  } catch (error) {
    wait = Math.max(TURN_S, error instanceof Unanswered ? error.retry_after_s : 0);
    write(trouble, `${reasonOf(error)} Trying again every few seconds.`);
    trouble.hidden = false;
  }
  renewTimes();
  clearTimeout(timer);
  timer = setTimeout(() => void turn(), wait * 1_000);
}

openVerify(() => {
  location.hash = "#verify";
});
part("#skip").addEventListener("click", (click) => {
  click.preventDefault();
  part(`#view-${place().view} h2`).focus();
});
openFilters(() => void renew());
openLogSearch();
history.scrollRestoration = "manual";
addEventListener("hashchange", route);
document.addEventListener("visibilitychange", () => void turn());
route();
void turn();
