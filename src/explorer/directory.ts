/** The page at /soul: all agents, by trust or newest first, a page at a time. */
import { ask, reasonOf } from "./ask.ts";
import { el, part, write } from "./dom.ts";
import { counted, time } from "./format.ts";
import { badge, levelText, meter, pointsText } from "./scores.ts";
import type { Directory } from "./soul-wire.ts";

const PAGE = 50;
const sort = new URLSearchParams(location.search).get("sort") === "newest" ? "newest" : "trust";

type Stats = { issued: number; proven: number; active_30d: number };
type Agent = Directory["agents"][number];

const list = part("#agents");
const more = part<HTMLButtonElement>("#more");
const trouble = part("#trouble");
let next: string | null = null;

const cell = (name: string, ...children: (Node | string)[]) => el("div", { class: name }, ...children);

function row(agent: Agent): HTMLElement {
  const micro = Math.round(agent.trust_score * 1e8);
  const name = agent.display_name ?? agent.agent_id;
  return el(
    "li",
    {},
    cell("number", agent.rank === null ? agent.sx_id : String(agent.rank)),
    cell(
      "main",
      el("a", { class: "cover", href: `/soul/${encodeURIComponent(agent.sx_id.slice(3))}` }, name),
      el(
        "span",
        { class: "soft" },
        [
          agent.sx_id,
          ...(name === agent.agent_id ? [] : [agent.agent_id]),
          ...(agent.synthetic ? ["invented"] : []),
        ].join(" · "),
      ),
    ),
    cell("when", badge(agent.trust_level, levelText(agent.trust_level))),
    cell(
      "side",
      meter(micro),
      el("span", { class: "figure" }, pointsText(micro)),
      el("span", { class: "unseen" }, "points, registered ", time(agent.registered_at)),
    ),
  );
}

async function load(): Promise<void> {
  more.disabled = true;
  try {
    const page = await ask<Directory>("/soul/directory", {
      limit: PAGE,
      sort,
      ...(next !== null && { cursor: next }),
    });
    list.append(...page.agents.map(row));
    next = page.next_cursor;
    more.hidden = next === null;
    trouble.hidden = true;
    showComputed(page);
  } catch (error) {
    write(trouble, reasonOf(error));
    trouble.hidden = false;
    more.hidden = next === null;
  }
  list.removeAttribute("aria-busy");
  more.disabled = false;
}

function showComputed({ computed_event }: Directory): void {
  if (list.children.length === 0) write(part("#computed"), "No agents yet: POST /soul/register creates one.");
  else if (computed_event === null) write(part("#computed"), "No score was computed yet.");
  else
    part("#computed").replaceChildren(
      "Scores of ",
      el("a", { href: `/log#events/${encodeURIComponent(computed_event)}` }, "one computation"),
      ", whose digest is in the log; anybody can compute it again from an export.",
    );
}

async function count(): Promise<void> {
  const { issued, proven } = await ask<Stats>("/soul/stats");
  write(
    part("#claim"),
    issued === 0
      ? "Nobody has registered yet."
      : `${counted(issued, "agent has", "agents have")} a passport; ${counted(proven, "has", "have")} proven a key.`,
  );
}

for (const link of document.querySelectorAll<HTMLAnchorElement>("nav:not(.places) a"))
  if (link.dataset.sort === sort) link.setAttribute("aria-current", "page");

part("#find").addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  const who = part<HTMLInputElement>("#who").value.trim();
  if (who) location.href = `/soul/${encodeURIComponent(who)}`;
});
more.addEventListener("click", () => void load());
void load();
count().catch((error) => {
  write(trouble, reasonOf(error));
  trouble.hidden = false;
});
