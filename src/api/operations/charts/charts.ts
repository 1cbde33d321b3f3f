/** Charts of agents: their trust over time, and their character. */
import { z } from "zod";
import type { Agent } from "../../../domain/identity/agent.ts";
import { isSandboxId, sxId } from "../../../domain/identity/fields.ts";
import { profiler, WINDOW_DAYS } from "../../../domain/trust/behaviour.ts";
import { METHOD } from "../../../domain/trust/rules.ts";
import { dnaChart, evidenceDays, trustChart } from "../../../projections/trust/charts.ts";
import { dateOf, dayOfTime } from "../../../projections/trust/days.ts";
import { scoresBetween } from "../../../projections/trust/scores.ts";
import { agentNamed, id } from "../../agents/agents.ts";
import { open, operation, picture } from "../../declare/index.ts";
import { activityIn } from "../identity/behaviour.ts";
import { MOST_DAYS } from "../trust/day-range.ts";

const days = z.coerce
  .number(`is a whole number from 7 to ${MOST_DAYS}`)
  .int(`is a whole number from 7 to ${MOST_DAYS}`)
  .min(7, "is at least 7")
  .max(MOST_DAYS, `is at most ${MOST_DAYS}`)
  .default(WINDOW_DAYS)
  .describe("Number of days, ending today (UTC)");

const nameOf = ({ facts }: Agent) => `${sxId(facts.sx_number)} ${facts.agent_id}`;

const provenanceOf = ({ facts }: Agent, source: string, as_of: string) => ({
  dataset: "log",
  vintage: as_of,
  log_state: as_of,
  source,
  synthetic: isSandboxId(facts.agent_id),
});

const trust = operation({
  name: "soul_chart_trust",
  route: "GET /soul/{id}/chart/trust",
  summary: "An agent's trust by day, as a picture",
  description:
    "The last score of each day, with the levels and with marks for attestations, completed tasks and penalties. PNG or SVG, by `Accept`. Before the first computation, the picture says that there is no data.",
  access: [open()],
  input: z.object({ id, days }),
  output: picture("A line of points from 0 to 100 over the levels, with marks for events"),
  refuses: [404],
  example: { id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await agentNamed(app, input.id);
    const to = dayOfTime(app.clock.now());
    const stretch = { from: to - input.days + 1, to };
    const sx = agent.facts.sx_number;
    const [scores, happenings] = await Promise.all([
      scoresBetween(app.pool, sx, stretch),
      evidenceDays(app.pool, sx, stretch),
    ]);
    const last = scores.at(-1);
    const as_of = last ? `position ${last.as_of_position}, ${dateOf(last.day)}` : "today";
    return {
      chart: trustChart(nameOf(agent), stretch, scores, happenings),
      meta: provenanceOf(agent, `The log's events by ${METHOD}`, as_of),
    };
  },
});

const dna = operation({
  name: "soul_chart_dna",
  route: "GET /soul/{id}/chart/dna",
  summary: "An agent's behaviour as a picture",
  description:
    "The seven dimensions of soul_dna as a radar over the requested days. PNG or SVG, by `Accept`. An unmeasured dimension has no corner. A newcomer's picture says that there is too little data.",
  access: [open()],
  input: z.object({ id, days }),
  output: picture("A radar of seven dimensions from 0 to 1, with values"),
  refuses: [404],
  example: { id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await agentNamed(app, input.id);
    const day = dayOfTime(app.clock.now());
    const happened = await activityIn(app, agent, { from: day - input.days + 1, to: day });
    return {
      chart: dnaChart(nameOf(agent), input.days, profiler(happened)(day, input.days)),
      meta: provenanceOf(agent, "Its own events in the log", dateOf(day)),
    };
  },
});

export const chartOperations = [trust, dna];
