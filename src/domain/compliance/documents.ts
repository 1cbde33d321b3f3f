/** The sections of each document: their provisions, their fields, and what only the provider can supply. */
import { callerField, type DutyStatus, type Field, missingField, type Section } from "./document.ts";
import type { ClassifiedAgent } from "./parts.ts";
import * as part from "./parts.ts";

const supply = missingField;

type Draft = Omit<Section, "standing"> & { standing?: DutyStatus };

/** A duty with evidence is partly met, any other is open: only somebody outside this log could confirm it in full. */
const dutySection = (draft: Draft): Section => ({
  ...draft,
  standing:
    draft.standing ?? (draft.fields.some(({ value, given }) => value !== null && !given) ? "partly" : "open"),
});

const plainSection = (draft: Omit<Section, "standing">): Section => ({ ...draft, standing: null });

/** Every document begins with these: who answers for the system, what it did, and how the log shows it. */
export const whoAndWhat = (of: ClassifiedAgent): Section[] => [
  plainSection({
    id: "who",
    title: "The responsible provider",
    provision: "Articles 14, 16 and 26",
    text: "The provider as the agent's owner names it, unchecked; the agent, its keys, and its delegates.",
    fields: [
      part.provider(of.record),
      ...part.identity(of.record),
      part.status(of.record),
      part.keys(of.record),
      part.delegations(of.record),
      part.links(of.record),
    ],
  }),
  plainSection({
    id: "what",
    title: "Purpose and acts",
    provision: "Articles 3(12) and 12",
    text: "The purpose is its owner's own statement; the acts are those at this service.",
    fields: [
      part.purpose(of.record),
      part.risk(of),
      part.version(of.record),
      part.services(of.record),
      part.activity(of.record),
      part.calls(of.record),
      part.vintages(of.record),
    ],
  }),
  plainSection({
    id: "how-we-know",
    title: "Evidence",
    provision: "Articles 12 and 19",
    text: "Every value names events. Each event is in a hash-chained log under signed checkpoints, and its page shows the proof.",
    fields: [
      part.span(of.record),
      part.checkpoint(of.record),
      part.anchor(of.record),
      part.computation(of.record),
    ],
  }),
];

export function selfAssessment(of: ClassifiedAgent): Section[] {
  const { record, classified } = of;
  // An unclassified system may be high-risk, so its duties may apply.
  const isOutside = classified?.risk_level === "MINIMAL" || classified?.risk_level === "LIMITED";
  const standing: { standing?: DutyStatus } = isOutside ? { standing: "not_applicable" } : {};
  const isRecorded = record.checkpoint !== null && record.activity.length > 0;
  return [
    dutySection({
      ...{ id: "art-9", title: "Risk management", provision: "Article 9", ...standing },
      text: "The provider's own system of managing risks may use what happened at this service.",
      fields: [
        ...part.monitored(record),
        part.measures(record),
        supply("Risk management system", "the identified risks, the measures and their tests"),
      ],
    }),
    dutySection({
      ...{ id: "art-10", title: "Data and data governance", provision: "Article 10", ...standing },
      text: "The log has no training, validation or test data; it has which states of data the agent bought as input.",
      fields: [
        part.vintages(record),
        supply("Data sets", "their origin, scope, characteristics and how bias was examined"),
      ],
    }),
    dutySection({
      ...{ id: "art-11", title: "Technical documentation", provision: "Article 11, Annex IV", ...standing },
      text: "The document annex-iv has the nine points.",
      fields: [part.purpose(record), part.version(record)],
    }),
    dutySection({
      ...{
        id: "art-12",
        title: "Record-keeping",
        provision: "Article 12",
        ...(isOutside ? standing : isRecorded ? { standing: "met" as const } : {}),
      },
      text: "The log records the agent's acts at this service automatically, in an order that cannot be changed. It has nothing of its acts elsewhere.",
      fields: [part.activity(record), part.span(record), part.checkpoint(record)],
    }),
    dutySection({
      ...{ id: "art-13", title: "Transparency towards deployers", provision: "Article 13", ...standing },
      text: "",
      fields: [
        part.services(record),
        supply("Instructions for use", "the instructions, with characteristics, capabilities and limits"),
      ],
    }),
    dutySection({
      ...{ id: "art-14", title: "Human oversight", provision: "Article 14", ...standing },
      text: "Keys and delegations show who can act for the agent here and stop it. The log cannot show that these are natural persons.",
      fields: [
        part.keys(record),
        part.delegations(record),
        supply("Persons who oversee it", "their names, competence and how they intervene"),
      ],
    }),
    dutySection({
      ...{
        id: "art-15",
        title: "Accuracy, robustness and cybersecurity",
        provision: "Article 15",
        ...standing,
      },
      text: "",
      fields: [
        part.attested(record),
        part.computation(record),
        part.scores(record),
        supply("Accuracy", "the metrics and levels, and tests against attacks"),
      ],
    }),
    dutySection({
      ...{ id: "art-17", title: "Quality management", provision: "Article 17", ...standing },
      text: "",
      fields: [supply("Quality management system", "the policies, procedures and who is accountable")],
    }),
    dutySection({
      ...{ id: "art-19", title: "Keeping of logs", provision: "Articles 19(1) and 26(6)", ...standing },
      text: "At least six months. This log is append-only and is stored without an end; the provider stores the logs of the system itself.",
      fields: [
        part.span(record),
        supply("Logs of the system itself", "where they are kept, and for how long"),
      ],
    }),
    dutySection({
      ...{ id: "art-26", title: "Duties of deployers", provision: "Article 26", ...standing },
      text: "",
      fields: [
        part.delegations(record),
        part.incidents(record),
        supply("Deployer", "who uses it under their authority, and how they monitor it"),
      ],
    }),
    dutySection({
      ...{ id: "art-50", title: "Transparency towards persons", provision: "Article 50" },
      text: "The log cannot show if people learn that they deal with a machine.",
      fields: [
        part.risk(of),
        supply("Notice to persons", "how people are informed, and how generated content is marked"),
      ],
    }),
  ];
}

export function annexIv(of: ClassifiedAgent): Section[] {
  const { record } = of;
  const point = (n: number, title: string, fields: Field[], text = ""): Section =>
    dutySection({ id: `annex-iv-${n}`, title, provision: `Annex IV, point ${n}`, text, fields });
  return [
    point(1, "General description", [
      part.purpose(record),
      part.version(record),
      part.services(record),
      ...part.identity(record),
      part.provider(record),
    ]),
    point(2, "Elements and development", [
      supply("Design and development", "methods, architecture, data, testing and cybersecurity measures"),
    ]),
    point(3, "Monitoring, functioning and control", [
      part.keys(record),
      part.delegations(record),
      part.activity(record),
      supply("Capabilities and limits", "accuracy for persons or groups, foreseeable unintended outcomes"),
    ]),
    point(4, "Appropriateness of performance metrics", [
      supply("Metrics", "the metrics, and why they suit the system"),
    ]),
    point(5, "Risk management system", [
      part.incidents(record),
      supply("Risk management system", "as Article 9 asks"),
    ]),
    point(6, "Changes through the lifecycle", [
      part.version(record),
      part.measures(record),
      supply("Changes", "what was changed by the provider, and when"),
    ]),
    point(7, "Harmonised standards applied", [
      supply(
        "Standards",
        "those applied; none is cited in the Official Journal so far, so the solutions adopted instead",
      ),
    ]),
    point(8, "EU declaration of conformity", [supply("Declaration", "a signed copy: annex-v drafts one")]),
    point(
      9,
      "Post-market monitoring",
      [
        ...part.monitored(record),
        part.measures(record),
        part.scores(record),
        part.computation(record),
        part.checkpoint(record),
        supply("Plan", "the post-market monitoring plan, Article 72(3)"),
      ],
      "A failure may have to be reported under Articles 72 and 73; the provider judges if it was a serious incident.",
    ),
  ];
}

export type Declaration = {
  provider_name?: string | undefined;
  address?: string | undefined;
  standards?: readonly string[] | undefined;
};

export function annexV(
  of: ClassifiedAgent,
  { provider_name, address, standards = [] }: Declaration,
): Section[] {
  const { record } = of;
  const declared = (name: string, value: string | undefined, what: string) =>
    value === undefined ? supply(name, what) : callerField(name, value);
  const point = (n: number, title: string, fields: Field[], text = ""): Section =>
    plainSection({ id: `annex-v-${n}`, title, provision: `Annex V, point ${n}`, text, fields });
  return [
    point(1, "System", [...part.identity(record), part.version(record)]),
    point(2, "Provider", [
      declared("Name", provider_name, "provider_name"),
      declared("Address", address, "address"),
    ]),
    point(3, "Sole responsibility", [supply("Statement", "the provider's own: this service cannot make it")]),
    point(4, "Conformity", [
      part.risk(of),
      supply(
        "Statement",
        "that the system is in conformity with Regulation (EU) 2024/1689: the provider's own",
      ),
    ]),
    point(5, "Personal data", [
      supply(
        "Statement",
        "whether personal data is processed, and that Regulations (EU) 2016/679 and 2018/1725 and Directive (EU) 2016/680 are complied with",
      ),
    ]),
    point(6, "Standards", [
      declared(
        "Standards",
        standards.length > 0 ? standards.join("; ") : undefined,
        "standards, or the common specifications that are declared",
      ),
    ]),
    point(7, "Notified body", [
      supply("Notified body", "name, number, procedure and certificate, where one was needed"),
    ]),
    point(
      8,
      "Signature",
      [supply("Signature", "place, date, name, function and signature of whoever signs for the provider")],
      "An unsigned draft: only its provider can sign it.",
    ),
  ];
}

export const parts = ["self-assessment", "annex-iv", "annex-v"] as const;
export type PartName = (typeof parts)[number];

export function fullReport(
  of: ClassifiedAgent,
  chosen: readonly PartName[],
  declaration: Declaration,
): Section[] {
  const sectionsOf = {
    "self-assessment": () => selfAssessment(of),
    "annex-iv": () => annexIv(of),
    "annex-v": () => annexV(of, declaration),
  };
  return parts.filter((name) => chosen.includes(name)).flatMap((name) => sectionsOf[name]());
}
