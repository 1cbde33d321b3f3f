/** Renders a compliance document as pages: its beginning, what is open, each provision, and every event with its URL. */
import {
  type Doc,
  type DocItem,
  type DocRow,
  type DocSection,
  type DocTable,
  uncited,
} from "../../core/model/doc.ts";
import type { ComplianceDocument, Field, Section } from "./document.ts";

const DUTY_STATUS = {
  met: "shown by this log",
  partly: "partly shown by this log",
  open: "open",
  not_applicable: "does not apply",
} as const;

const ABOUT: Record<ComplianceDocument["kind"], string> = {
  "self-assessment": "For which duties of the AI Act does this log have evidence, and which are open?",
  "annex-iv": "What can be said in each of the nine points of technical documentation?",
  "annex-v": "An unsigned draft of the EU declaration of conformity. Only the provider can sign it.",
  "full-report": "Self-assessment, technical documentation and a draft declaration in one.",
};

export function compliancePages(
  document: ComplianceDocument,
  eventUrl: string,
  canonical: (value: object) => string,
): Doc {
  const { sections, notice, kind } = document;
  const title = `${document.title}: ${document.agent_id}`;
  const cites = citationsOf(sections);
  // The open fields of the whole document precede the single duties.
  const [beginning, duties] = [sections.slice(0, BEGINNING), sections.slice(BEGINNING)];
  const heading = `${title}, ${document.rules}. ${notice}`;
  return {
    title,
    question: `${heading} ${ABOUT[kind]}`,
    cover: [
      { name: "For", text: "The provider of the agent, and its auditors" },
      { name: "Agent", text: `${document.agent_id}, ${document.sx_id}` },
      { name: "As of", text: `${document.as_of}, position ${document.as_of_position} of the log` },
      { name: "Rules", text: `${document.rules}, SHA-256 ${document.rules_sha256}` },
      { name: "Document", text: `${document.document_id}, SHA-256 ${document.sha256}` },
      {
        name: "Evidence",
        text: "Each value cites the events that show it; values that the log lacks are open.",
      },
    ],
    sections: [
      ...beginning.map((section, at) => sectionOf(section, cites, at > 0)),
      openOf(sections),
      ...duties.map((section, at) => sectionOf(section, cites, at > 0)),
      datesOf(document),
      evidenceOf(cites, eventUrl),
      { title: "This document", on: true, text: heading, items: [], charts: [], tables: [] },
    ],
    as_of: document.as_of,
    attachment: { name: "document.json", about: "The same as data", text: canonical(document) },
  };
}

/** The number of sections that every document begins with. */
const BEGINNING = 3;

type Citations = ReadonlyMap<string, { id: string; position: number; type: string; event_id: string }>;

/** Numbers the events in the order of their first citation. */
function citationsOf(sections: readonly Section[]): Citations {
  const cites = new Map<string, { id: string; position: number; type: string; event_id: string }>();
  for (const { fields } of sections)
    for (const { events } of fields)
      for (const event of events)
        if (!cites.has(event.event_id)) cites.set(event.event_id, { id: `E${cites.size + 1}`, ...event });
  return cites;
}

/** The fields to supply, by section. A field that several sections lack is listed once. */
function openOf(sections: readonly Section[]): DocSection {
  const listed = new Set<string>();
  const items = sections.flatMap(({ title, provision, fields }): DocItem[] => {
    const lacking = fields.flatMap(({ name, missing }) =>
      missing === null || listed.has(`${name} ${missing}`) ? [] : [{ name, missing }],
    );
    for (const { name, missing } of lacking) listed.add(`${name} ${missing}`);
    const text = lacking.map(({ name, missing }) => `${name} (${missing})`).join("; ");
    return lacking.length === 0 ? [] : [{ text: `${title}: ${text}`, note: provision }];
  });
  return {
    title: "Open points",
    text:
      items.length === 0
        ? "Nothing that this document asks for is missing."
        : "The log has no value for these fields. Supply them as noted.",
    items,
    charts: [],
    tables: dutyStatusTables(sections),
  };
}

/** The status of each duty, in one table. */
function dutyStatusTables(sections: readonly Section[]): DocTable[] {
  const duties = sections.flatMap(({ title, provision, standing }) =>
    standing === null ? [] : [{ cells: [title, provision, DUTY_STATUS[standing]] }],
  );
  const columns = [{ name: "Duty" }, { name: "Provision" }, { name: "Status" }];
  return duties.length === 0
    ? []
    : [{ title: "Status of each duty", columns, rows: duties, widths: [5, 4, 4] }];
}

function sectionOf(
  { title, provision, standing, text, fields }: Section,
  cites: Citations,
  on: boolean,
): DocSection {
  const status = standing === null ? "" : ` Status: ${DUTY_STATUS[standing]}.`;
  return {
    title,
    ...(on && { on: true as const }),
    text: `${provision}.${status}${text === "" ? "" : ` ${text}`}`,
    items: [],
    charts: [],
    tables: [
      {
        title: "",
        columns: [{ name: "Field" }, { name: "Value" }, { name: "Shown by" }],
        rows: fields.map((field): DocRow => ({ cells: [field.name, wordsOf(field), shownBy(field, cites)] })),
        widths: [3, 7, 3],
      },
    ],
  };
}

const wordsOf = ({ value, missing }: Field) => (value === null ? `Open: ${missing}` : uncited(value));

function shownBy({ events, more_events, given, missing }: Field, cites: Citations): string {
  if (missing !== null) return "not in the log";
  if (given) return "supplied by the caller";
  const list = events.map(({ event_id }) => `[${cites.get(event_id)!.id}]`).join(" ");
  return more_events > 0 ? `${list} and ${more_events} earlier` : list;
}

const datesOf = ({ dates, sources }: ComplianceDocument): DocSection => ({
  title: "Dates of application",
  text: "Each date with its provision. The status shows which are superseded or pending.",
  on: true,
  items: sources.map(({ title, url, certainty, note }) => ({
    text: `${title}: ${url}`,
    note: `${certainty === "read" ? "the text" : "as reported"}${note ? `; ${note}` : ""}`,
  })),
  charts: [],
  tables: [
    {
      title: "",
      columns: [{ name: "From" }, { name: "What" }, { name: "Provision" }, { name: "Status" }],
      rows: dates.map(({ applies_from, what, provision, status, superseded_by }) => ({
        cells: [
          applies_from ?? "pending",
          what,
          provision,
          superseded_by ? `${status.replace("_", " ")} by ${superseded_by}` : status.replace("_", " "),
        ],
      })),
      widths: [2, 6, 4, 3],
    },
  ],
});

const evidenceOf = (cites: Citations, eventUrl: string): DocSection => ({
  title: "Cited events",
  text: "The URL opens the event with its proof under a signed checkpoint.",
  on: true,
  items: [],
  charts: [],
  tables: [
    {
      title: "",
      columns: [{ name: "Event" }, { name: "Position", figures: true }, { name: "Type" }, { name: "URL" }],
      rows: [...cites.values()].map(({ id, position, type, event_id }) => ({
        anchor: id,
        cells: [id, String(position), type, `${eventUrl}${event_id}`],
      })),
      widths: [1, 2, 4, 11],
      fine: true,
    },
  ],
});
