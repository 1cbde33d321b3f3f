/** The page at /operator: the overview for an admin key, renewed while the page is visible. */
import { ask, reasonOf } from "./ask.ts";
import { el, facts, part, wideTable, write } from "./dom.ts";
import { count, counted, time } from "./format.ts";

type Gas = {
  spent_today: number;
  budget: number | null;
  balance: number | null;
  queued: number;
  purposes: { purpose: string; spent_today: number; budget: number }[];
};
type Reactor = {
  name: string;
  status: string;
  since: string | null;
  reason: string | null;
  last_good_s: number | null;
};
type ReadModel = { name: string; behind: number; trouble: string | null };
type Overview = {
  position: number;
  orders: { awaiting_payment: number; to_ship: number };
  executions: { requested: number; running: number };
  tasks: { queued: number; leased: number; disputed: number; settled: number; refunded: number };
  refunds: { open: number; open_usdc: number; kept: number; kept_usdc: number };
  withdrawals: { open: number };
  webhooks: { active: number; paused: number; waiting: number; late: number };
  gas: Gas;
  reactors: Reactor[];
  read_models: ReadModel[];
  disputes: string[];
};

const RENEW_MS = 10_000;

const usdc = (value: number) => `${value.toLocaleString("en", { maximumFractionDigits: 6 })} USDC`;
const ether = (value: number) => `${value.toLocaleString("en", { maximumSignificantDigits: 4 })} ETH`;

const section = (title: string, ...children: Node[]) => el("section", {}, el("h2", {}, title), ...children);

function work({ orders, executions, tasks, refunds, withdrawals, webhooks }: Overview): HTMLElement {
  return section(
    "Open work",
    facts({
      Orders: `${count(orders.to_ship)} to ship, ${count(orders.awaiting_payment)} not paid`,
      Executions: `${count(executions.running)} running, ${count(executions.requested)} waiting`,
      Tasks: `${count(tasks.leased)} at nodes, ${count(tasks.queued)} waiting, ${count(tasks.disputed)} disputed`,
      "Tasks so far": `${count(tasks.settled)} settled, ${count(tasks.refunded)} refunded`,
      "Refunds owed": `${count(refunds.open)}, ${usdc(refunds.open_usdc)}`,
      "Money without a call": `${count(refunds.kept)}, ${usdc(refunds.kept_usdc)}`,
      "Withdrawals open": count(withdrawals.open),
      Webhooks: `${count(webhooks.waiting)} waiting, ${count(webhooks.late)} late`,
      Subscriptions: `${count(webhooks.active)} active, ${count(webhooks.paused)} paused`,
    }),
  );
}

const gasOf = ({ spent_today, budget, balance, queued, purposes }: Gas): HTMLElement =>
  section(
    "Gas",
    facts({
      "Spent today": `${ether(spent_today)}${budget === null ? "" : ` of ${ether(budget)}`}`,
      Balance: balance === null ? "the chain cannot be reached" : ether(balance),
      "Calls to be sent": count(queued),
      ...Object.fromEntries(
        purposes.map((one) => [one.purpose, `${ether(one.spent_today)} of ${ether(one.budget)}`]),
      ),
    }),
  );

const table = (heads: readonly string[], rows: readonly (Node | string)[][]): HTMLElement =>
  wideTable(
    heads,
    rows.map((row) => row.map((cell) => el("td", {}, cell))),
  );

const badge = (isWell: boolean, text: string) =>
  el("span", { class: isWell ? "badge" : "badge reorged" }, text);

const reactorsOf = (reactors: readonly Reactor[]): HTMLElement =>
  section(
    "Reactors",
    table(
      ["Reactor", "State", "Since", "Last good tick", "Reason"],
      reactors.map(({ name, status, since, reason, last_good_s }) => [
        el("code", {}, name),
        badge(since === null, since === null ? "well" : status),
        since === null ? "–" : time(since),
        last_good_s === null ? "none yet" : `${counted(last_good_s, "second")} ago`,
        reason ?? "–",
      ]),
    ),
  );

const readModelsOf = (models: readonly ReadModel[]): HTMLElement =>
  section(
    "Read models",
    table(
      ["Read model", "State", "Lag", "Reason"],
      models.map(({ name, behind, trouble }) => [
        el("code", {}, name),
        badge(trouble === null, trouble === null ? "well" : "blocked"),
        counted(behind, "event"),
        trouble ?? "–",
      ]),
    ),
  );

function verdict({ reactors, read_models, disputes, position }: Overview): HTMLElement {
  const failing = [
    ...reactors.filter(({ since }) => since !== null).map(({ name }) => name),
    ...read_models.filter(({ trouble }) => trouble !== null).map(({ name }) => name),
    ...disputes,
  ];
  return failing.length === 0
    ? el("p", { class: "verdict good" }, `Nothing fails. The log has ${counted(position, "event")}.`)
    : el("p", { class: "verdict bad" }, `${counted(failing.length, "failure")}: ${failing.join(", ")}`);
}

/** True once this key was admitted. */
let isAdmitted = false;
let timer: ReturnType<typeof setTimeout> | undefined;

async function renew(): Promise<void> {
  clearTimeout(timer);
  const key = part<HTMLInputElement>("#admin-key").value.trim();
  const trouble = part("#trouble");
  if (key === "" || document.hidden) return;
  try {
    const overview = await ask<Overview>("/operator/overview", {}, key);
    part("#overview").replaceChildren(
      verdict(overview),
      work(overview),
      gasOf(overview.gas),
      reactorsOf(overview.reactors),
      readModelsOf(overview.read_models),
    );
    part("#overview").hidden = false;
    trouble.hidden = true;
    isAdmitted = true;
  } catch (error) {
    write(trouble, reasonOf(error));
    trouble.hidden = false;
  }
  // A wrong key is not tried again and again.
  if (isAdmitted) timer = setTimeout(() => void renew(), RENEW_MS);
}

part("#unlock").addEventListener("submit", (event) => {
  event.preventDefault();
  isAdmitted = false;
  part("#overview").hidden = true;
  void renew();
});
document.addEventListener("visibilitychange", () => void renew());
