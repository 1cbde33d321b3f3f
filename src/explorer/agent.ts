/** The page of one agent, at /soul/<id>: its identity, its trust and the reasons, each with its place in the log. */
import { ask, reasonOf } from "./ask.ts";
import { el, facts, part, write } from "./dom.ts";
import { copied, counted, renewTimes, time } from "./format.ts";
import { pictureWidth, showFiguresOf } from "./hover.ts";
import { badge, levelText, meter, pointsText } from "./scores.ts";
import type { AgentPassport, AgentTrust, Explanation } from "./soul-wire.ts";

type AgentCharacter = { archetype: string; traits: string[]; events: number };

const RENEW_S = 30;

/** The address may have a passport's number or its id. */
const named = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const path = (rest: string) => `/soul/${encodeURIComponent(named)}/${rest}`;

/** Links an event to the log's page, by the beginning of its id. */
const eventLink = (event_id: string, text = "event") =>
  el("a", { href: `/log#events/${encodeURIComponent(event_id)}`, title: event_id }, text);

/** Links the agent's newest event of this type. */
function saidBy({ events }: AgentPassport, type: string, about: string | null): HTMLElement[] {
  const said = events.findLast((one) => one.type === type && one.about === about);
  return said ? [eventLink(said.event_id)] : [];
}

async function show(): Promise<void> {
  const [passport, trust, character] = await Promise.all([
    ask<AgentPassport>(`/soul/passport/${encodeURIComponent(named)}`, { explain: "true" }),
    ask<AgentTrust>(path("trust"), { explain: "true" }),
    ask<AgentCharacter>(path("character")),
  ]);
  showWho(passport, trust);
  showTrust(trust);
  showCharacter(character);
  showPassport(passport);
  showKeys(passport);
  showProofs(passport, trust);
  for (const hidden of ["#parts", "#main"]) part(hidden).hidden = false;
  part("#hero").removeAttribute("aria-busy");
}

const STATUS_TEXT: Record<string, string> = { proven: "has a key", registered: "has no key" };

function showWho({ passport, display_name, erased, status, synthetic }: AgentPassport, trust: AgentTrust) {
  const name = display_name ?? passport.agent_id;
  document.title = `${name} · ${passport.sx_id}`;
  write(part("#title"), `${passport.sx_id} · ${passport.agent_id}`);
  write(part("#claim"), erased ? `${passport.agent_id} (name erased)` : name);
  part("#invented").hidden = !synthetic;
  const micro = trust.explanation?.score_micro ?? 0;
  part("#score").replaceChildren(
    meter(micro),
    el(
      "p",
      {},
      el("strong", {}, pointsText(micro)),
      " of 100 points ",
      badge(trust.trust_level, `trust: ${levelText(trust.trust_level)}`),
      " ",
      badge(status, STATUS_TEXT[status] ?? status),
    ),
  );
}

function showTrust({ as_of, explanation, samples }: AgentTrust): void {
  const summary = part("#computed");
  if (!as_of || !explanation) {
    write(summary, "Nothing was computed yet, so every score is 0.");
    part("#lines").replaceChildren(el("li", { class: "sum" }, el("span", {}, "0")));
  } else {
    summary.replaceChildren(
      "Computed ",
      time(as_of.computed_at),
      ` from all that the log says up to position ${as_of.position}; `,
      eventLink(as_of.computed_event, "the event"),
      " has the digest of all scores.",
    );
    part("#lines").replaceChildren(...linesOf(explanation));
    write(part("#beside"), attesterText(explanation, samples.collaboration ?? 0));
  }
  showChart("#trust-chart", "trust");
}

/** The attester, and its distance from its subject. */
function attesterText(explanation: Explanation, attestors: number): string {
  if (attestors === 0) return "No agent attests it.";
  const share =
    explanation.reciprocal_share === null
      ? ""
      : ` ${Math.round(explanation.reciprocal_share * 100)} % of the attested points come from agents that it attests too.`;
  const clique = explanation.clique ? " They look like a clique." : "";
  return `${counted(attestors, "agent attests", "agents attest")} it, ${explanation.independent_attestors} with evidence of their own.${share}${clique}`;
}

const KINDS: Record<string, string> = {
  spend: "A call that it paid for",
  task: "A task that it completed",
  penalty: "A penalty",
};
const CAPS: Record<string, string> = {
  tasks: "Tasks count for 60 points at most",
  spend: "Paid calls count for 10 points at most",
  most: "No score is above 100",
  least: "No score is below 0",
};

const STANDINGS: Record<string, string> = {
  signature: "signed",
  key: "by an API key alone",
  payment: "by a signed payment",
  service: "by the service",
  unrecorded: "no signature recorded",
};

/** The parties of a line's events, in their order; equal ones appear once. */
const shownBy = (of: string[]): HTMLElement => {
  const names = [...new Set(of)].map((one) => STANDINGS[one] ?? one);
  return el("span", { class: "soft" }, names.join(", "));
};

function linesOf(explanation: Explanation): HTMLElement[] {
  const sources = (ids: string[]) =>
    ids.map((id, at) => eventLink(id, ids.length === 1 ? "event" : `event ${at + 1}`));
  return [
    ...(explanation.seeded_micro > 0
      ? [
          line(
            explanation.seeded_micro,
            ["Given by the operator, in public"],
            sources(explanation.seeded_event === null ? [] : [explanation.seeded_event]),
          ),
        ]
      : []),
    ...explanation.base.map((one) =>
      line(one.points_micro, [KINDS[one.kind] ?? one.kind, shownBy([one.shown_by])], sources([one.event_id])),
    ),
    ...explanation.attestations.map((one) =>
      line(
        one.points_micro,
        [
          el("span", {}, "Attested by ", el("a", { href: `/soul/${one.from.slice(3)}` }, one.from)),
          el(
            "span",
            { class: "soft" },
            `weight ${one.weights_micro.map((weight) => weight / 1e6).join(" + ")}, of which ${one.counted_micro / 1e6} counts after age and caps, of an agent of ${pointsText(one.attestor_points_micro)} points`,
          ),
          shownBy(one.shown_by),
        ],
        sources(one.event_ids),
      ),
    ),
    ...explanation.penalties.map((one) => line(one.points_micro, [KINDS.penalty!], sources([one.event_id]))),
    ...explanation.cuts.map((one) => line(one.points_micro, [CAPS[one.cap] ?? one.cap], [])),
    line(explanation.score_micro, ["The score"], [], "sum"),
  ];
}

function line(micro: number, what: (Node | string)[], sources: HTMLElement[], kind?: string): HTMLElement {
  const sign = kind === undefined && micro > 0 ? "+" : "";
  return el(
    "li",
    { class: kind },
    el("span", { class: micro < 0 ? "points less" : "points" }, sign + pointsText(micro, 6)),
    el("span", { class: "what" }, ...what),
    el("span", { class: "sources" }, ...sources),
  );
}

function showCharacter({ archetype, traits, events }: AgentCharacter): void {
  const done = counted(events, "event");
  write(
    part("#nature"),
    archetype === "newcomer"
      ? `A newcomer: ${done} in 90 days are too few to say more.`
      : `Above all ${archetype}${traits.length > 0 ? `; marked traits: ${traits.join(", ")}` : ""}. From ${done} in 90 days.`,
  );
  showChart("#dna-chart", "dna");
}

/** A picture by this service, enlarged on a click; the page has the figures too. */
function showChart(selector: string, chart: string): void {
  const image = part<HTMLImageElement>(selector);
  if (image.src) return;
  const width = pictureWidth();
  image.addEventListener("load", () => void showFiguresOf(image).catch(() => undefined), { once: true });
  image.src = path(`chart/${chart}${width === undefined ? "" : `?width=${width}`}`);
  part<HTMLAnchorElement>(`a:has(> ${selector})`).href = image.src;
}

/** By status, the event that led to it. */
const STOOD: Record<string, string> = {
  proven: "AgentKeyProven",
  suspended: "AgentSuspended",
  revoked: "PassportRevoked",
};

function showPassport(agent: AgentPassport): void {
  const { passport, reason, status, keys } = agent;
  const { sx_id, agent_id, passport_hash, issued_at, origin } = passport;
  const by = status === "proven" ? (keys[0]?.kid ?? null) : null;
  part("#passport-facts").replaceChildren(
    facts({
      Number: sx_id,
      Id: el("span", { class: "whole" }, agent_id),
      Hash: copied(passport_hash, "the passport's hash"),
      Issued: el("span", {}, time(issued_at), " ", ...saidBy(agent, "AgentRegistered", null)),
      Status: el("span", {}, status, " ", ...saidBy(agent, STOOD[status] ?? "", by)),
      Why: reason ?? undefined,
      "Issued by": el("span", { class: "whole" }, origin),
    }),
  );
}

function keysText({ status, keys, events }: AgentPassport): string {
  if (status === "revoked")
    return "Its passport is revoked. No key is valid for it any more, and nobody can act as this agent.";
  const suspended = status === "suspended" ? "It is suspended, and none of its signatures lets it act. " : "";
  if (keys.length > 0)
    return `${suspended}A signature by ${keys.length === 1 ? "this key" : "one of these keys"} is the agent's.`;
  return events.some(({ type }) => type === "AgentKeyProven")
    ? `${suspended}All of its keys are revoked: nobody can prove to be this agent now.`
    : `${suspended}It has proven no key yet: nobody can prove to be this agent.`;
}

function showKeys(passport: AgentPassport): void {
  const { keys, delegations } = passport;
  write(part("#keys-lead"), keysText(passport));
  part("#key-rows").replaceChildren(
    ...keys.map(({ kid, kind, did, method, proven_at }) =>
      el(
        "li",
        {},
        el("div", { class: "number" }, kind),
        el("div", { class: "main" }, el("span", { class: "stream" }, did)),
        el("div", { class: "when" }, "proven ", time(proven_at)),
        el(
          "div",
          { class: "side" },
          copied(kid, "the key's name"),
          el("span", { class: "soft" }, method),
          ...saidBy(passport, "AgentKeyProven", kid),
        ),
      ),
    ),
  );
  showLinks(passport);
  part("#delegations").replaceChildren(
    ...(delegations.length === 0
      ? []
      : [
          el("h3", {}, "Who may act for it"),
          el(
            "ul",
            { class: "plain" },
            ...delegations.map(({ delegation_id, to, scopes, expires_at }) =>
              el(
                "li",
                {},
                el("a", { href: `/soul/${to.slice(3)}` }, to),
                ` may ${scopes.join(", ")}, until `,
                time(expires_at),
                " ",
                ...saidBy(passport, "AgentDelegated", delegation_id),
              ),
            ),
          ),
        ]),
  );
}

/** A domain links out of this page, to content of its owner. */
const linkOut = (domain: string) => el("a", { href: `https://${domain}/`, rel: "nofollow noopener" }, domain);

function showLinks(passport: AgentPassport): void {
  const { links } = passport;
  part("#links").replaceChildren(
    ...(links.length === 0
      ? []
      : [
          el("h3", {}, "Names elsewhere"),
          el(
            "ul",
            { class: "plain" },
            ...links.map(({ link, agent_id, domain, linked_at }) =>
              el(
                "li",
                {},
                domain === null ? `Agent ${agent_id} of ERC-8004` : linkOut(domain),
                ", since ",
                time(linked_at),
                " ",
                ...saidBy(passport, "AgentLinked", link),
              ),
            ),
          ),
        ]),
  );
}

function showProofs({ passport }: AgentPassport, { as_of, method }: AgentTrust): void {
  const id = encodeURIComponent(passport.sx_id);
  const row = (what: Node, why: string) => el("li", {}, what, el("span", { class: "soft" }, why));
  part("#proof-list").replaceChildren(
    row(
      el("a", { href: `/soul/passport/${id}/credential` }, "The passport as a Verifiable Credential"),
      "Signed by the service; any library for JSON Web Tokens verifies it with /.well-known/jwks.json.",
    ),
    ...(as_of
      ? [
          row(
            eventLink(as_of.computed_event, "The computation in the log"),
            `The digest of all scores of that moment is ${as_of.result_sha256}. docs/trust-score.md says how ${method} is computed, and trust.py computes it from an export alone.`,
          ),
        ]
      : []),
    row(
      el("a", { href: "/log#verify" }, "The log itself"),
      "Each event above opens on the page of the log, with its proof and a verifier that runs in your browser.",
    ),
  );
}

const trouble = part("#trouble");

async function turn(): Promise<void> {
  if (document.hidden) return;
  try {
    await show();
    trouble.hidden = true;
  } catch (error) {
    write(trouble, reasonOf(error));
    trouble.hidden = false;
    if (part("#main").hidden) write(part("#claim"), `${named} is not known here.`);
    part("#hero").removeAttribute("aria-busy");
  }
  renewTimes();
}

document.addEventListener("visibilitychange", () => void turn());
setInterval(() => void turn(), RENEW_S * 1_000);
void turn();
