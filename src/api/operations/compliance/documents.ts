/** Documents from an agent's own log, for whoever holds its keys or has a delegation from it. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import * as documents from "../../../domain/compliance/document.ts";
import {
  type ComplianceDocument,
  complianceDocument,
  NOTICE,
  named,
  type Section,
} from "../../../domain/compliance/document.ts";
import {
  annexIv,
  annexV,
  type Declared,
  fullReport,
  parts,
  selfAssessment,
  whoAndWhat,
} from "../../../domain/compliance/documents.ts";
import { compliancePages } from "../../../domain/compliance/pages.ts";
import type { Purposed } from "../../../domain/compliance/parts.ts";
import { agentRef, isSandboxId, sxId } from "../../../domain/identity/fields.ts";
import { type Context, json, operation, pay } from "../../declare/index.ts";
import { canonical } from "../../serve/nested-calls.ts";
import { ownAgent, positionNow, purposedOf } from "./record.ts";
import { asOf, rulesFor, rulesShown } from "./rules.ts";

/** Where an event is opened: of the service that issued the document. */
const answer = z.object({
  data: complianceDocument,
  meta: z.object({
    dataset: z.literal("log"),
    vintage: z.string().describe("The rules, and the position of the log"),
    synthetic: z.boolean().describe("true: of an invented agent of the sandbox"),
    source: z.string(),
    event_url: z.string().describe("With an event_id behind it, it opens the event"),
  }),
});

const documentOutput = json(answer, {
  pages: ({ data, meta }) => compliancePages(data, meta.event_url, canonical),
});

const shared = {
  as_of_position: z.coerce
    .number()
    .int("is a position of the log")
    .min(1, "is at least 1")
    .max(Number.MAX_SAFE_INTEGER, "is a position of the log")
    .optional()
    .describe("As the log was there; the same position has the same bytes. Now unless said"),
  as_of: asOf,
};

const declared = {
  provider_name: z
    .string()
    .trim()
    .min(1, "is 1 to 200 characters")
    .max(200, "is 1 to 200 characters")
    .optional()
    .describe("The provider; kept nowhere"),
  address: z
    .string()
    .trim()
    .min(1, "is 1 to 300 characters")
    .max(300, "is 1 to 300 characters")
    .optional()
    .describe("Its address; kept nowhere"),
  standards: z
    .array(
      z
        .string()
        .regex(
          /^[\p{L}\p{N}][\p{L}\p{N} .,:/()+-]{0,99}$/u,
          "names a standard in at most 100 letters, digits and . , : / ( ) + -",
        ),
    )
    .max(20, "are at most 20")
    .optional()
    .describe("Standards that it declares"),
};

const agent_id = agentRef.optional().describe("Whose; your own unless said");

const adds = { changes: "adds", repeatable: true, reaches_out: false } as const;

type Asked = { agent: string | undefined; as_of_position?: number | undefined; as_of?: string | undefined };

/** Writes the document of an agent, and records that it was issued. */
async function issued(
  {
    app,
    subjects,
    caller,
    decide,
    payment_id,
  }: Pick<Context<unknown>, "app" | "subjects" | "caller" | "decide" | "payment_id">,
  kind: documents.Kind,
  title: string,
  { agent, as_of_position, as_of }: Asked,
  write: (of: Purposed) => Section[],
): Promise<z.infer<typeof answer>> {
  const name = await ownAgent(app, { caller, payment_id }, agent);
  const rules = rulesFor(app, as_of);
  const of = await purposedOf({ app, subjects }, name, as_of_position ?? (await positionNow(app)), rules);
  const document = documentOf(of, kind, title, rulesShown(rules), write);
  const { document_id, rules_sha256, sha256 } = document;
  const facts = {
    ...{ document_id, kind, sx_number: of.record.sx_number, rules_sha256, sha256 },
    as_of_position: of.record.as_of_position,
    issued_at: app.clock.now().toISOString(),
  };
  await decide(documents, { tenant: caller.tenant, id: document_id }, documents.issue(facts));
  return { data: document, meta: metaOf(app, document) };
}

function documentOf(
  of: Purposed,
  kind: documents.Kind,
  title: string,
  shown: ReturnType<typeof rulesShown>,
  write: (of: Purposed) => Section[],
): ComplianceDocument {
  const { agent_id, sx_number, as_of_position, day } = of.record;
  const { rules, rules_sha256, dates, sources } = shown;
  const about = {
    kind,
    title,
    agent_id,
    sx_id: sxId(sx_number),
    rules,
    rules_sha256,
    as_of_position,
    as_of: day,
  };
  return named(
    { ...about, sections: [...whoAndWhat(of), ...write(of)], dates, sources, notice: NOTICE },
    canonical,
  );
}

const metaOf = ({ settings }: App, { agent_id, rules_sha256, as_of_position }: ComplianceDocument) => ({
  dataset: "log" as const,
  vintage: `${rules_sha256} at ${as_of_position}`,
  synthetic: isSandboxId(agent_id),
  source: "Events of this service's log, each named",
  event_url: `${settings.public_url}/log/proof/`,
});

const WHOM =
  "By a wallet that is a live key of the agent, or of one that it lets `read`. JSON, Markdown, HTML or PDF by `Accept`.";

/** A document about the agent in its path, of which nothing else has to be said. */
const ofAgent = (
  kind: "self-assessment" | "annex-iv",
  title: string,
  said: { summary: string; of: string },
  write: (of: Purposed) => Section[],
) =>
  operation({
    name: `compliance_${kind.replaceAll("-", "_")}`,
    route: `GET /soul/compliance/${kind}/{id}`,
    effect: adds,
    again_to: "payer",
    summary: said.summary,
    description: `${said.of} ${WHOM}`,
    access: [pay("1.00")],
    input: z.object({ id: agentRef, ...shared }),
    output: documentOutput,
    refuses: [403, 404],
    example: { id: "SX#1" },
    handle: (context) => issued(context, kind, title, { ...context.input, agent: context.input.id }, write),
  });

const selfAssessmentOperation = ofAgent(
  "self-assessment",
  "Self-assessment",
  {
    summary: "What an agent's log shows of each duty of the AI Act, and what is open",
    of: "Articles 9–15, 17, 19, 26, 50.",
  },
  selfAssessment,
);

const annexIvOperation = ofAgent(
  "annex-iv",
  "Technical documentation",
  { summary: "Technical documentation in nine points, as far as an agent's log has it", of: "Annex IV." },
  annexIv,
);

const annexVOperation = operation({
  name: "compliance_annex_v",
  route: "GET /soul/compliance/annex-v",
  effect: adds,
  again_to: "payer",
  summary: "An unsigned draft of the EU declaration of conformity",
  description: `Annex V. Only the provider can sign it. ${WHOM}`,
  access: [pay("0.50")],
  secrets: ["provider_name", "address"],
  input: z.object({ agent_id, ...declared, ...shared }),
  output: documentOutput,
  refuses: [403, 404],
  example: { provider_name: "Example SIA", address: "Riga" },
  handle: (context) => {
    const said: Declared = context.input;
    return issued(
      context,
      "annex-v",
      "Draft declaration of conformity",
      { ...context.input, agent: context.input.agent_id },
      (of) => annexV(of, said),
    );
  },
});

const fullOperation = operation({
  name: "compliance_full_report",
  route: "GET /soul/compliance/full-report",
  effect: adds,
  again_to: "payer",
  summary: "Self-assessment, technical documentation and draft declaration of an agent in one",
  description: WHOM,
  access: [pay("2.00")],
  secrets: ["provider_name", "address"],
  input: z.object({
    agent_id,
    parts: z
      .array(z.enum(parts, `is one of ${parts.join(", ")}`))
      .min(1, "name one at least")
      .max(3, "are three at most")
      .default([...parts])
      .describe("Which of the three; all unless said"),
    ...declared,
    ...shared,
  }),
  output: documentOutput,
  refuses: [403, 404],
  example: {},
  handle: (context) => {
    const { parts: chosen, ...said } = context.input;
    return issued(
      context,
      "full-report",
      "Compliance report",
      { ...context.input, agent: context.input.agent_id },
      (of) => fullReport(of, chosen, said),
    );
  },
});

export const documentOperations = [selfAssessmentOperation, annexIvOperation, annexVOperation, fullOperation];
