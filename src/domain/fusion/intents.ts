/** The intents of `query`: each a plan over reading operations, selected by the words of a question. */
import type { Plan } from "../plans/plan.ts";

const market = { hs: "$slots.hs", reporter: "$slots.country", years: "$slots.years" } as const;

export const intents: readonly Plan[] = [
  {
    name: "market",
    version: 1,
    summary: "A product's market: its size, growth, prices and partners",
    keywords: {
      en: ["market", "size", "demand", "grow", "price", "season", "expected"],
      lv: ["tirg", "pieprasij", "cena", "cen", "izaugsm", "sezon"],
    },
    slots: { required: ["hs"], optional: ["country", "flow", "years"] },
    steps: [
      { id: "market", operation: "fusion_market_intel", input: { ...market, flow: "$slots.flow" } },
      {
        id: "unusual",
        operation: "trade_alerts",
        input: { hs: "$slots.hs", flow: "$slots.flow", months: 6 },
        optional: true,
      },
    ],
    example: "How did the market of wood in Latvia grow from 2020 to 2024?",
  },
  {
    name: "dependency",
    version: 1,
    summary: "The sources that imports of a product depend on, and possible substitutes",
    keywords: {
      en: ["depend", "rely", "relian", "supplier", "source", "substitut", "vulnerab", "concentrat"],
      lv: ["atkarig", "piegadat", "avot", "aizstaj"],
    },
    slots: { required: ["hs"], optional: ["country", "years", "year"] },
    steps: [
      { id: "market", operation: "fusion_market_intel", input: { ...market, flow: "IMPORT" } },
      { id: "product", operation: "fusion_product", input: { hs: "$slots.hs", year: "$slots.year" } },
    ],
    example: "How dependent is Latvia on imports of mineral fuels?",
  },
  {
    name: "product",
    version: 1,
    summary: "Who trades a product among the 27 and their partners",
    keywords: {
      en: ["who", "trader", "exporter", "importer", "rank", "largest", "biggest"],
      lv: ["kas", "lielak", "eksportetaj", "importetaj"],
    },
    slots: { required: ["hs"], optional: ["year"] },
    steps: [{ id: "product", operation: "fusion_product", input: { hs: "$slots.hs", year: "$slots.year" } }],
    example: "Who are the largest exporters of sawn wood in 2024?",
  },
  {
    name: "profile",
    version: 1,
    summary: "A country's trade, partners, products, strengths, wages and prices",
    keywords: {
      en: ["profile", "country", "econom", "overview"],
      lv: ["profil", "valst", "ekonomik", "parskat"],
    },
    slots: { required: ["country"], optional: ["year"] },
    steps: [
      {
        id: "country",
        operation: "fusion_country",
        input: { country: "$slots.country", year: "$slots.year" },
      },
    ],
    example: "Country profile of Latvia in 2024",
  },
  {
    name: "trade_by_year",
    version: 1,
    summary: "A country's imports, exports and balance by year",
    keywords: {
      en: ["balance", "deficit", "surplus", "total", "histor"],
      lv: ["bilanc", "kopej", "vestur"],
    },
    slots: { required: ["country"], optional: ["hs", "years"] },
    steps: [
      {
        id: "years",
        operation: "fusion_country_stats",
        input: { country: "$slots.country", hs: "$slots.hs", years: "$slots.years" },
      },
    ],
    example: "The trade balance of Estonia, 2020-2024",
  },
  {
    name: "partners",
    version: 1,
    summary: "The trading partners of one of the 27",
    keywords: { en: ["partner", "whom", "destination", "origin"], lv: ["partner", "galamerk"] },
    slots: { required: ["country"], optional: ["hs", "year", "flow"] },
    steps: [
      {
        id: "partners",
        operation: "trade_top_partners",
        input: {
          reporter: "$slots.country",
          hs: "$slots.hs",
          year: "$slots.year",
          flow: "$slots.flow",
          limit: 10,
        },
      },
    ],
    example: "The main partners of Lithuania's exports in 2024",
  },
  {
    name: "products",
    version: 1,
    summary: "In what one of the 27 trades",
    keywords: { en: ["products", "goods", "commodit", "chapters"], lv: ["prec", "produkt"] },
    slots: { required: ["country"], optional: ["hs", "year", "flow"] },
    steps: [
      {
        id: "products",
        operation: "trade_top_products",
        input: {
          reporter: "$slots.country",
          hs: "$slots.hs",
          year: "$slots.year",
          flow: "$slots.flow",
          limit: 10,
        },
      },
    ],
    example: "What goods did Germany import in 2024?",
  },
  {
    name: "unusual",
    version: 1,
    summary: "What was unusual in the last months",
    keywords: {
      en: ["unusual", "anomal", "alert", "shock", "surg", "collaps"],
      lv: ["neparast", "anomal", "bridinaj", "kritum"],
    },
    slots: { required: [], optional: ["hs", "flow"] },
    steps: [
      {
        id: "unusual",
        operation: "trade_alerts",
        input: { hs: "$slots.hs", flow: "$slots.flow", months: 6 },
      },
    ],
    example: "What was unusual in imports of mineral fuels?",
  },
  {
    name: "wages",
    version: 1,
    summary: "What an hour of work costs in a country",
    keywords: {
      en: ["wage", "salar", "labour", "labor", "earning", "hourly"],
      lv: ["alg", "darbaspek", "izpeln"],
    },
    slots: { required: ["country"], optional: ["partner"] },
    steps: [
      {
        id: "wages",
        operation: "salary_compare",
        input: { countries: ["$slots.country", "$slots.partner"] },
      },
    ],
    example: "Wages in Latvia and Estonia",
  },
  {
    name: "economy",
    version: 1,
    summary: "Interest, the dollar, inflation and oil",
    keywords: {
      en: ["interest", "inflation", "brent", "dollar", "exchange", "macro", "rate"],
      lv: ["inflacij", "naft", "dolar", "kurs", "procent"],
    },
    slots: { required: [], optional: [] },
    steps: [{ id: "economy", operation: "trade_macro_context", input: {} }],
    example: "What are inflation and interest now?",
  },
];
