/** Documents from an agent's own log, for the agent's keys and for delegates with the scope `read`. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import * as documents from "../../../domain/compliance/document.ts";
import {
  type ComplianceDocument,
  complianceDocument,
  NOTICE,
  type Section,
  withDigest,
} from "../../../domain/compliance/document.ts";
import {
  annexIv,
  annexV,
  type Declaration,
  fullReport,
  parts,
  selfAssessment,
  whoAndWhat,
} from "../../../domain/compliance/documents.ts";
import { compliancePages } from "../../../domain/compliance/pages.ts";
import type { ClassifiedAgent } from "../../../domain/compliance/parts.ts";
import { agentRef, isSandboxId, sxId } from "../../../domain/identity/fields.ts";
import { type Context, json, operation, pay } from "../../declare/index.ts";
import { canonical } from "../../serve/nested-calls.ts";
import { classifiedAgent, ownAgent, positionNow } from "./record.ts";
import { asOf, editionAnswer, rulesFor } from "./rules.ts";

const answer = z.object({
  data: complianceDocument,
  meta: z.object({
    dataset: z.literal("log"),
    vintage: z.string().describe("The rules and the position of the log"),
    synthetic: z.boolean().describe("true: the agent is a fictitious one of the sandbox"),
    source: z.string(),
    event_url: z.string().describe("Append an event_id to open the event"),
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
    .describe("Reads the log up to this position; a repeat has the same bytes. Default: now"),
  as_of: asOf,
};

const declaration = {
  provider_name: z
    .string()
    .trim()
    .min(1, "is 1 to 200 characters")
    .max(200, "is 1 to 200 characters")
    .optional()
    .describe("The provider; not stored"),
  address: z
    .string()
    .trim()
    .min(1, "is 1 to 300 characters")
    .max(300, "is 1 to 300 characters")
    .optional()
    .describe("The provider's address; not stored"),
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
    .describe("The standards that the provider declares"),
};

const agent_id = agentRef.optional().describe("The agent. Default: your own");

const adds = { changes: "adds", repeatable: true, reaches_out: false } as const;

type DocumentRequest = {
  agent: string | undefined;
  as_of_position?: number | undefined;
  as_of?: string | undefined;
};

/** Writes the document of an agent and records its issue. */
async function issueDocument(
  {
    app,
    subjects,
    caller,
    unit,
    request,
  }: Pick<Context<unknown>, "app" | "subjects" | "caller" | "unit" | "request">,
  kind: documents.Kind,
  title: string,
  { agent, as_of_position, as_of }: DocumentRequest,
  write: (of: ClassifiedAgent) => Section[],
): Promise<z.infer<typeof answer>> {
  const name = await ownAgent(app, { caller, payment_id: request.payment_id }, agent);
  const rules = rulesFor(app, as_of);
  const of = await classifiedAgent(
    { app, subjects },
    name,
    as_of_position ?? (await positionNow(app)),
    rules,
  );
  const document = documentOf(of, kind, title, editionAnswer(rules), write);
  const { document_id, rules_sha256, sha256 } = document;
  const facts = {
    ...{ document_id, kind, sx_number: of.record.sx_number, rules_sha256, sha256 },
    as_of_position: of.record.as_of_position,
    issued_at: app.clock.now().toISOString(),
  };
  await unit.decide(documents, { tenant: caller.tenant, id: document_id }, documents.issue(facts));
  return { data: document, meta: metaOf(app, document) };
}

function documentOf(
  of: ClassifiedAgent,
  kind: documents.Kind,
  title: string,
  edition: ReturnType<typeof editionAnswer>,
  write: (of: ClassifiedAgent) => Section[],
): ComplianceDocument {
  const { agent_id, sx_number, as_of_position, day } = of.record;
  const { rules, rules_sha256, dates, sources } = edition;
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
  return withDigest(
    { ...about, sections: [...whoAndWhat(of), ...write(of)], dates, sources, notice: NOTICE },
    canonical,
  );
}

const metaOf = ({ settings }: App, { agent_id, rules_sha256, as_of_position }: ComplianceDocument) => ({
  dataset: "log" as const,
  vintage: `${rules_sha256} at ${as_of_position}`,
  synthetic: isSandboxId(agent_id),
  source: "Events of this service's log, with their ids",
  event_url: `${settings.public_url}/log/proof/`,
});

const ACCESS =
  "Pay with a live key of the agent, or of a delegate of scope `read`. JSON, Markdown, HTML or PDF by `Accept`.";

/** The parts that both documents about the agent of a path share. */
const ofAgent = {
  effect: adds,
  again_to: "payer" as const,
  access: [pay("1.00")],
  input: z.object({ id: agentRef, ...shared }),
  output: documentOutput,
  refuses: [403, 404] as (403 | 404)[],
  example: { id: "SX#1" },
};

const selfAssessmentOperation = operation({
  ...ofAgent,
  name: "compliance_self_assessment",
  route: "GET /soul/compliance/self-assessment/{id}",
  summary: "An agent's duties under the AI Act: the log's evidence of each, and the open ones",
  description: `Articles 9–15, 17, 19, 26, 50. ${ACCESS}`,
  handle: (context) => {
    const request = { ...context.input, agent: context.input.id };
    return issueDocument(context, "self-assessment", "Self-assessment", request, selfAssessment);
  },
});

const annexIvOperation = operation({
  ...ofAgent,
  name: "compliance_annex_iv",
  route: "GET /soul/compliance/annex-iv/{id}",
  summary: "Technical documentation in nine points, as far as an agent's log has it",
  description: `Annex IV. ${ACCESS}`,
  handle: (context) => {
    const request = { ...context.input, agent: context.input.id };
    return issueDocument(context, "annex-iv", "Technical documentation", request, annexIv);
  },
});

const annexVOperation = operation({
  name: "compliance_annex_v",
  route: "GET /soul/compliance/annex-v",
  effect: adds,
  again_to: "payer",
  summary: "An unsigned draft of the EU declaration of conformity",
  description: `Annex V. Only the provider can sign it. ${ACCESS}`,
  access: [pay("0.50")],
  secrets: ["provider_name", "address"],
  input: z.object({ agent_id, ...declaration, ...shared }),
  output: documentOutput,
  refuses: [403, 404],
  example: { provider_name: "Example SIA", address: "Riga" },
  handle: (context) => {
    const declaration: Declaration = context.input;
    const request = { ...context.input, agent: context.input.agent_id };
    return issueDocument(context, "annex-v", "Draft declaration of conformity", request, (of) =>
      annexV(of, declaration),
    );
  },
});

const fullOperation = operation({
  name: "compliance_full_report",
  route: "GET /soul/compliance/full-report",
  effect: adds,
  again_to: "payer",
  summary: "Self-assessment, technical documentation and draft declaration of an agent in one document",
  description: ACCESS,
  access: [pay("2.00")],
  secrets: ["provider_name", "address"],
  input: z.object({
    agent_id,
    parts: z
      .array(z.enum(parts, `is one of ${parts.join(", ")}`))
      .min(1, "has at least one part")
      .max(3, "has at most three parts")
      .default([...parts])
      .describe("The parts to include"),
    ...declaration,
    ...shared,
  }),
  output: documentOutput,
  refuses: [403, 404],
  example: {},
  handle: (context) => {
    const { parts: chosen, ...declaration } = context.input;
    const request = { ...context.input, agent: context.input.agent_id };
    return issueDocument(context, "full-report", "Compliance report", request, (of) =>
      fullReport(of, chosen, declaration),
    );
  },
});

export const documentOperations = [selfAssessmentOperation, annexIvOperation, annexVOperation, fullOperation];
