/** The eight skills: each a plan over operations, selected by the words of a task and run for its caller. */
import type { Plan } from "../plans/plan.ts";

export const agents = [
  "oracle",
  "spider",
  "tracker",
  "diplomat",
  "sniper",
  "strategist",
  "finansist",
  "gramatvedis",
] as const;
export type Agent = (typeof agents)[number];

/** `skill_sensitive`: it reads the caller's money. */
export const skillScopes = ["skill", "skill_sensitive"] as const;
export type SkillScope = (typeof skillScopes)[number];

/** `absent`: sources that it names and that are not there, with why. */
export type Skill = Plan & {
  name: Agent;
  scope: SkillScope;
  absent?: readonly { of: string; why: string }[];
  /** The answer lists all partners: one that the task names is among them. */
  lists_partners?: true;
};

const series = { reporter: "$slots.country", hs: "$slots.hs", years: "$slots.years" };

export const skills: readonly Skill[] = [
  {
    name: "oracle",
    version: 2,
    scope: "skill",
    summary:
      "Where a country's trade is heading: its months, its season, what is to be expected, the economy",
    keywords: {
      en: ["forecast", "expect", "predict", "outlook", "trend", "season", "month", "future", "next"],
      lv: ["prognoz", "sagaid", "tendenc", "sezon", "menes", "nakotn"],
    },
    slots: { required: ["country"], optional: ["hs", "flow", "years", "chapter"] },
    steps: [
      {
        id: "timeline",
        operation: "trade_timeline",
        input: {
          reporters: ["$slots.country"],
          hs: "$slots.hs",
          flow: "$slots.flow",
          years: "$slots.years",
          // A forecast of a code that ended, or from goods of another time, says nothing.
          basis: "compared",
        },
      },
      {
        id: "season",
        operation: "trade_seasonality",
        input: { ...series, flow: "$slots.flow" },
        when: ["hs"],
        optional: true,
      },
      {
        id: "forecast",
        operation: "forecast_of_months",
        input: { series: "$steps.timeline.data", rests_on: "$steps.timeline.meta", months_ahead: 3 },
      },
      { id: "macro", operation: "trade_macro_context", input: {}, optional: true },
    ],
    example: "What exports of wood are to be expected of Latvia?",
  },
  {
    name: "spider",
    version: 4,
    scope: "skill",
    summary: "A country from all sides: profile, largest partners, largest products, news",
    keywords: {
      en: ["profile", "country", "econom", "partner", "goods", "everything", "overview", "gather"],
      lv: ["profil", "valst", "ekonomik", "partner", "prec", "parskat"],
    },
    slots: { required: ["country"], optional: ["year", "flow"] },
    steps: [
      {
        id: "profile",
        operation: "fusion_country",
        input: { country: "$slots.country", year: "$slots.year" },
      },
      ...(["trade_top_partners", "trade_top_products"] as const).map((operation) => ({
        id: operation === "trade_top_partners" ? "partners" : "products",
        operation,
        // A country may deliver a year before all of the data have it: the profile knows its last full year.
        input: {
          reporter: "$slots.country",
          year: "$steps.profile.meta.year",
          flow: "$slots.flow",
          limit: 10,
        },
        optional: true as const,
      })),
      { id: "news", operation: "own_news", input: { country: "$slots.country" }, optional: true },
    ],
    example: "Gather a profile of Estonia with its partners and goods in 2024",
  },
  {
    name: "tracker",
    version: 4,
    scope: "skill",
    summary:
      "Recent movements: unusual months, the strongest pulses, single sources, imports ahead of policies",
    keywords: {
      en: ["unusual", "anomal", "alert", "shock", "surg", "watch", "track", "pulse", "ahead", "moved"],
      lv: ["neparast", "anomal", "bridinaj", "kritum", "sekot", "uzraud"],
    },
    slots: { required: [], optional: ["country", "hs", "flow", "chapter"] },
    steps: [
      {
        id: "alerts",
        operation: "trade_alerts",
        input: { reporter: "$slots.country", hs: "$slots.hs", flow: "$slots.flow", months: 6 },
      },
      {
        id: "pulse",
        operation: "trade_flow_pulse",
        input: { reporter: "$slots.country", hs: "$slots.hs", flow: "$slots.flow", months: 6, limit: 5 },
        optional: true,
      },
      {
        id: "sources",
        operation: "trade_source_concentration",
        input: {
          reporter: "$slots.country",
          hs: "$slots.hs",
          flow: "$slots.flow",
          limit: 5,
        },
        optional: true,
      },
      { id: "ahead", operation: "front_run_watch", input: { hs: "$slots.hs", limit: 5 }, optional: true },
    ],
    example: "What was unusual of late in imports of mineral fuels?",
  },
  {
    name: "diplomat",
    version: 1,
    scope: "skill",
    summary:
      "Two countries: their trade as both report it, the gap between the reports, and possible detours",
    keywords: {
      en: ["between", "corridor", "bilateral", "relation", "mirror", "gap", "rerout", "circumvent", "round"],
      lv: ["starp", "koridor", "divpus", "attiec", "spogul", "apies"],
    },
    slots: { required: ["country", "partner"], optional: ["hs", "years", "flow", "chapter"] },
    steps: [
      {
        id: "corridor",
        operation: "trade_corridor",
        input: {
          reporter: "$slots.country",
          partner: "$slots.partner",
          hs: "$slots.hs",
          years: "$slots.years",
        },
      },
      {
        id: "rerouting",
        operation: "trade_reroute_watch",
        input: {
          origin: "$slots.partner",
          reporter: "$slots.country",
          hs: "$slots.hs",
          flow: "$slots.flow",
          limit: 5,
        },
        optional: true,
      },
    ],
    example: "How do trade figures between Germany and France differ?",
  },
  {
    name: "sniper",
    version: 1,
    scope: "skill",
    summary: "One product as a market: size, growth, advantage, prices of imports and of exports",
    keywords: {
      en: ["market", "opportun", "niche", "growth", "advantage", "price", "margin", "demand", "target"],
      lv: ["tirg", "iespej", "nisa", "izaugsm", "cena", "cen", "pieprasij"],
    },
    slots: { required: ["hs"], optional: ["country", "flow", "years", "chapter"] },
    steps: [
      {
        id: "market",
        operation: "fusion_market_intel",
        input: {
          hs: "$slots.hs",
          reporter: "$slots.country",
          years: "$slots.years",
          flow: "$slots.flow",
        },
      },
      {
        id: "prices",
        operation: "trade_price_per_tonne",
        input: series,
        when: ["country", "hs"],
        optional: true,
      },
    ],
    example: "What opportunity is the market of wood in Latvia, by growth and price?",
  },
  {
    name: "strategist",
    version: 2,
    scope: "skill",
    summary: "The sources that a country depends on for a product: concentration, dependency, substitutes",
    keywords: {
      en: ["depend", "rely", "relian", "supplier", "source", "substitut", "vulnerab", "concentrat", "risk"],
      lv: ["atkarig", "piegadat", "avot", "aizstaj", "risk"],
    },
    slots: { required: ["country", "hs"], optional: ["year", "years", "chapter"] },
    flow: "IMPORT",
    lists_partners: true,
    steps: [
      {
        id: "market",
        operation: "fusion_market_intel",
        input: { hs: "$slots.hs", reporter: "$slots.country", years: "$slots.years", flow: "IMPORT" },
      },
      {
        id: "concentration",
        operation: "trade_concentration",
        input: {
          reporter: "$slots.country",
          hs: "$slots.hs",
          // The last complete year of those in the task.
          year: "$steps.market.meta.year",
          flow: "IMPORT",
        },
      },
    ],
    example: "How dependent is Latvia on imports of mineral fuels, and who could stand in?",
  },
  {
    name: "finansist",
    version: 1,
    scope: "skill_sensitive",
    summary: "Your own money here: payments, refunds, what was spent on which operation, orders",
    keywords: {
      en: ["payment", "paid", "spent", "spend", "refund", "money", "cost", "order", "budget"],
      lv: ["maksaj", "samaks", "teret", "naud", "izmaks", "pasutij", "budzet"],
    },
    slots: { required: [], optional: ["month"] },
    steps: [
      { id: "spending", operation: "own_spending", input: { month: "$slots.month" } },
      { id: "orders", operation: "own_orders", input: { month: "$slots.month" } },
    ],
    example: "What have I spent on which operations, and what was refunded?",
  },
  {
    name: "gramatvedis",
    version: 1,
    scope: "skill_sensitive",
    summary: "A month for the books: orders with their tax, and settlements as the chain has them",
    keywords: {
      en: ["vat", "tax", "book", "account", "settle", "invoice", "chain", "ledger", "month"],
      lv: ["pvn", "nodok", "gramatv", "rekin", "norekin", "menes"],
    },
    slots: { required: ["month"], optional: [] },
    steps: [
      { id: "orders", operation: "own_orders", input: { month: "$slots.month" } },
      { id: "settlements", operation: "own_settlements", input: { month: "$slots.month" } },
    ],
    example: "The VAT of my orders and the settlements on chain in October 2026",
  },
];

export const skillNamed = (agent: Agent): Skill => skills.find(({ name }) => name === agent)!;
