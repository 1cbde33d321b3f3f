/** The page at /soul/market: nodes and tasks, bounties, offered items, and settlements with their events. */
import { ask, reasonOf } from "./ask.ts";
import { el, facts, part, write } from "./dom.ts";
import { count, counted, time } from "./format.ts";
import { badge } from "./scores.ts";
import type { Bounties, MarketSums, Nodes, Settlements, Stack } from "./soul-wire.ts";

const PAGE = 20;
const MOST_LETTERS = 160;

const trouble = part("#trouble");
const more = part<HTMLButtonElement>("#more");
let next: string | null = null;

const cell = (name: string, ...children: (Node | string)[]) => el("div", { class: name }, ...children);
const soft = (...children: (Node | string)[]) => el("span", { class: "soft" }, ...children);
const agent = (sx_id: string) => el("a", { href: `/soul/${encodeURIComponent(sx_id.slice(3))}` }, sx_id);

function fill(selector: string, rows: readonly HTMLElement[], nothing: string): void {
  const list = part(selector);
  list.replaceChildren(...(rows.length > 0 ? rows : [el("li", {}, cell("main", soft(nothing)))]));
  list.removeAttribute("aria-busy");
}

/** The page of an operation, with its fields filled. */
const operation = (name: string, title: string, fields: Record<string, string> = {}) => {
  const query = new URLSearchParams(fields).toString();
  return el("a", { href: `/docs/operations/${name}${query ? `?${query}` : ""}` }, title);
};

/** The beginning of a text. */
const shortened = (text: string | null) => {
  if (!text) return "";
  return text.length <= MOST_LETTERS ? text : `${text.slice(0, MOST_LETTERS).trimEnd()}…`;
};

const dollars = (usd: string) => `${usd} USDC`;

function showSums(sums: MarketSums): void {
  write(
    part("#claim"),
    `${counted(sums.online, "node is", "nodes are")} online, ${counted(sums.active, "task is", "tasks are")} worked on, ${counted(sums.settled, "task is", "tasks are")} settled.`,
  );
  part("#sums").replaceChildren(
    facts({
      "Free slots": count(sums.free_slots),
      "Tasks that wait": count(sums.queued),
      "Price of an hour": sums.hourly_rate_usd
        ? `${dollars(sums.hourly_rate_usd.median)} (median)`
        : undefined,
      "Paid for tasks": dollars(sums.settled_usd),
      "Checked again": `${count(sums.audited)}, ${count(sums.mismatches)} of them wrong`,
    }),
  );
}

const showNodes = ({ nodes }: Nodes) =>
  fill(
    "#nodes",
    nodes.map((node) =>
      el(
        "li",
        {},
        cell("number", String(node.free)),
        cell("main", agent(node.sx_id), soft(node.kinds.join(", ") || "any kind of task")),
        cell("side", `${dollars(node.hourly_rate_usd)} an hour`),
      ),
    ),
    "No node with a processor takes work just now.",
  );

const showBounties = ({ bounties }: Bounties) =>
  fill(
    "#bounty-rows",
    bounties.map((bounty) =>
      el(
        "li",
        {},
        cell(
          "main",
          operation("soul_bounty", bounty.title ?? "A bounty", { bounty_id: bounty.bounty_id }),
          soft(shortened(bounty.description)),
          soft(
            `${counted(bounty.claims, "claim")} · `,
            operation("soul_bounty_claim", "claim it", { bounty_id: bounty.bounty_id }),
          ),
        ),
        cell("when", badge(bounty.status, bounty.status), " ", time(bounty.deadline)),
        cell("side", dollars(bounty.reward_usd)),
      ),
    ),
    "No bounty is open.",
  );

const showItems = ({ items }: Stack) =>
  fill(
    "#item-rows",
    items.map((item) =>
      el(
        "li",
        {},
        cell(
          "main",
          operation("soul_stack_item", item.title ?? "An item", { item_id: item.item_id }),
          soft(shortened(item.summary)),
          soft(
            `${item.kind} by `,
            agent(item.author.sx_id),
            " · ",
            operation("soul_stack_buy", "buy it", { item_id: item.item_id }),
          ),
        ),
        cell("when", `${counted(item.sales, "sale")}, works for ${count(item.validations.works)}`),
        cell("side", Number(item.price_usd) === 0 ? "free" : dollars(item.price_usd)),
      ),
    ),
    "Nothing is offered yet.",
  );

const KINDS = { task: "A task was settled", bounty: "A bounty was awarded", sale: "An item was sold" };

const settlementRow = (one: Settlements["settlements"][number]) =>
  el(
    "li",
    {},
    cell(
      "main",
      el("a", { class: "event", href: `/log#events/${encodeURIComponent(one.event_id)}` }, KINDS[one.kind]),
      el("span", { class: "soft" }, "to ", one.to === null ? "its author" : agent(one.to)),
    ),
    cell("when", time(one.at)),
    cell("side", dollars(one.paid_usd)),
  );

async function loadSettlements(): Promise<void> {
  more.disabled = true;
  const page = await ask<Settlements>("/soul/market/settlements", {
    limit: PAGE,
    ...(next !== null && { cursor: next }),
  });
  const rows = page.settlements.map(settlementRow);
  if (next === null) fill("#settlement-rows", rows, "Nothing was settled yet.");
  else part("#settlement-rows").append(...rows);
  next = page.next_cursor;
  more.hidden = next === null;
  more.disabled = false;
}

/** A failed part is reported; the rest of the page stays. */
const showFault = (work: Promise<void>) =>
  work.catch((error) => {
    write(trouble, reasonOf(error));
    trouble.hidden = false;
    more.disabled = false;
  });

more.addEventListener("click", () => void showFault(loadSettlements()));
void showFault(ask<MarketSums>("/soul/compute/marketplace").then(showSums));
void showFault(ask<Nodes>("/soul/match", { need: "cpu", limit: PAGE }).then(showNodes));
void showFault(ask<Bounties>("/soul/bounties", { limit: PAGE }).then(showBounties));
void showFault(ask<Stack>("/soul/stack", { limit: PAGE }).then(showItems));
void showFault(loadSettlements());
