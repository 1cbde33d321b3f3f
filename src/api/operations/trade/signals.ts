import { alerts, alertsInput, alertsOutput } from "../../../projections/trade/answers/alerts.ts";
import { corridor, corridorInput, corridorOutput } from "../../../projections/trade/answers/corridor.ts";
import { dataOf, vintage } from "../../../projections/trade/answers/data.ts";
import { flowPulse, flowPulseInput, flowPulseOutput } from "../../../projections/trade/answers/flow-pulse.ts";
import { corridorChart } from "../../../projections/trade/answers/forms/lines.ts";
import { corridorTable, rerouteTable } from "../../../projections/trade/answers/forms/tables.ts";
import { rerouteInput, rerouteOutput, rerouteWatch } from "../../../projections/trade/answers/rerouting.ts";
import { sources, sourcesInput, sourcesOutput } from "../../../projections/trade/answers/sources.ts";
import { json, key, operation, pay } from "../../declare/index.ts";

const alertsOperation = operation({
  name: "trade_alerts",
  route: "GET /v1/agent/trade/alerts",
  summary:
    "Recent anomalies in all countries and chapters, or in one country's, and the largest year-over-year changes",
  description: `Finds unusual months: each reporter, chapter and flow against its twelve months before. At most 5 % of
alarms are false. \`confirmed\` marks alarms that the season does not explain. Incomplete months of a reporter are never judged.`,
  access: [key("read"), pay("0.10")],
  input: alertsInput,
  output: json(alertsOutput, { table: "data.alerts" }),
  example: { months: 6, flow: "IMPORT" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => alerts(dataOf(data), input, signal),
});

const corridorOperation = operation({
  name: "trade_corridor",
  route: "GET /v1/agent/trade/corridor",
  summary: "The trade between two countries, from every database that has both",
  description: `Both directions as reported by both countries, with the gap between them, the balance by year, the season, alerts,
and the largest products with prices. Each database is separate, with its coverage; figures are never added across them.`,
  access: [key("read"), pay("0.15")],
  input: corridorInput,
  output: json(corridorOutput, { table: corridorTable, chart: corridorChart }),
  example: { reporter: "DE", partner: "FR", years: "2020-2024" },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => corridor(dataOf(data), input, signal),
});

const flowPulseOperation = operation({
  name: "trade_flow_pulse",
  route: "GET /v1/agent/trade/flow-pulse",
  summary: "The most important anomalies for a country, by reporter and HS2",
  description: `The anomalies of trade/alerts weighted by their share of the reporter's trade: |z|·√share. Results that may be chance
are included; \`significant\` marks the others.`,
  access: [key("read"), pay("1.00")],
  input: flowPulseInput,
  output: json(flowPulseOutput, { table: "data" }),
  example: { months: 3, limit: 5 },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => flowPulse(dataOf(data), input, signal),
});

const rerouteOperation = operation({
  name: "trade_reroute_watch",
  route: "GET /v1/agent/trade/reroute-watch",
  summary: "Products whose direct trade with a country collapsed while third countries surged",
  description: `Compares twelve months before a break with twelve after. The direct flow with \`origin\` (default: Russia) fell by
half or more, while flows with other countries outside the EU rose by half and by EUR 10 M. It is a signal, not a proof.`,
  access: [key("read"), pay("0.50")],
  input: rerouteInput,
  output: json(rerouteOutput, { table: rerouteTable }),
  example: { origin: "RU", month: "2022-03", flow: "IMPORT", limit: 5 },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => rerouteWatch(dataOf(data), input, signal),
});

const sourcesOperation = operation({
  name: "trade_source_concentration",
  route: "GET /v1/agent/trade/source-concentration",
  summary: "Products of which a country imports at least half from a single source",
  description: `Sorted by the value at stake, with the second source and the listed partners' share. \`flow=EXPORT\` finds
single buyers.`,
  access: [key("read"), pay("0.15")],
  input: sourcesInput,
  output: json(sourcesOutput, { table: "data" }),
  example: { reporter: "LV", year: 2024, limit: 5 },
  vintage,
  covers: "handle",
  handle: ({ input, data, signal }) => sources(dataOf(data), input, signal),
});

export const tradeSignalOperations = [
  alertsOperation,
  corridorOperation,
  flowPulseOperation,
  rerouteOperation,
  sourcesOperation,
];
