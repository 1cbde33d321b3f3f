/** Regulation (EU) 2024/1689 as amended by the Digital Omnibus on AI, published on 24 July 2026. */
import type { RuleDate, Rules } from "../rule.ts";

const row = (
  id: string,
  applies_from: string | null,
  provision: string,
  what: string,
  more: Partial<RuleDate> = {},
): RuleDate => ({
  id,
  applies_from,
  what,
  provision,
  status: "in_force",
  superseded_by: null,
  source: "act",
  ...more,
});

const amended = { source: "omnibus" } as const;

export const asAmended: Rules = {
  id: "eu-ai-act/2026-07-24",
  title: "Regulation (EU) 2024/1689 (Artificial Intelligence Act), as amended in 2026",
  in_force: "2026-07-27",
  sources: [
    {
      id: "act",
      title: "Regulation (EU) 2024/1689 of 13 June 2024, OJ L, 2024/1689, 12.7.2024",
      url: "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
      certainty: "reported",
      note: "Article 113, which has the dates, was read as it is reproduced elsewhere (legalviz.eu); the other provisions are named without the text at hand.",
    },
    {
      id: "omnibus",
      title: "Regulation (EU) 2026/1744 of 8 July 2026 (Digital Omnibus on AI), OJ L, 24.7.2026",
      url: "https://eur-lex.europa.eu/eli/reg/2026/1744/oj",
      certainty: "reported",
      note: "The text of the Official Journal was not at hand. Dates and new provisions are as reports of the text adopted by Parliament (16 June 2026) and Council (29 June 2026) have them; number, publication and entry into force are as this service's specification has them, and no report that was found repeats them.",
    },
    {
      id: "reports",
      title:
        "Digital Omnibus AI: what is changing in the AI Act (Schürmann Rosenthal Dreyer, after 29 June 2026)",
      url: "https://www.srd-rechtsanwaelte.de/en/blog/digital-omnibus-ai-what-is-changing-in-the-ai-act",
      certainty: "reported",
      note: "Of this report an excerpt was read; reports of July 2026 by others name the same dates.",
    },
    {
      id: "interface",
      title: "This service's own interface, which named 2026-08-02 as the deadline of high-risk systems",
      url: "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
      certainty: "read",
      note: "The date of the Act as published; moved since.",
    },
  ],
  dates: [
    row("prohibitions", "2025-02-02", "Article 113(a); Article 5", "Prohibited practices"),
    row(
      "literacy",
      "2025-02-02",
      "Article 4",
      "AI literacy, since 2026 as measures that support it",
      amended,
    ),
    row(
      "general-purpose",
      "2025-08-02",
      "Article 113(b); Chapter V, Chapter VII, Chapter XII, Chapter III Section 4, Article 78",
      "General-purpose AI models, governance and penalties",
    ),
    row("general", "2026-08-02", "Article 113", "General application, Article 50 among it"),
    row(
      "deadline-of-the-interface",
      "2026-08-02",
      "Article 113, as published",
      "High-risk systems of Annex III",
      {
        status: "superseded",
        superseded_by: "annex-iii",
        source: "interface",
      },
    ),
    row(
      "intimate-images",
      "2026-12-02",
      "Article 5(1)(ba) and (bb)",
      "Prohibited: intimate images of real persons without consent, and material of child sexual abuse",
      amended,
    ),
    row(
      "marking-of-older-systems",
      "2026-12-02",
      "Article 111(4); Article 50(2)",
      "Marking of generated content by systems that were on the market before 2 August 2026",
      amended,
    ),
    row(
      "older-models",
      "2027-08-02",
      "Article 111(3)",
      "General-purpose AI models placed on the market before 2 August 2025",
    ),
    row(
      "annex-iii",
      "2027-12-02",
      "Article 113; Chapter III, sections 1 to 3; Article 6(2), Annex III",
      "High-risk systems of Annex III",
      amended,
    ),
    row(
      "annex-i",
      "2028-08-02",
      "Article 113; Chapter III, sections 1 to 3; Article 6(1), Annex I",
      "High-risk systems that are products, or safety components of products, of Annex I",
      amended,
    ),
    row(
      "public-authorities",
      "2030-08-02",
      "Article 111(2)",
      "High-risk systems that public authorities used before",
    ),
    row(
      "large-scale",
      "2030-12-31",
      "Article 111(1); Annex X",
      "Components of large-scale IT systems placed on the market before 2 August 2027",
    ),
    row(
      "guidelines",
      null,
      "Article 6(5)",
      "The Commission's guidelines on classification, of which there is a draft",
      { status: "pending" },
    ),
    row("standards", null, "Article 40", "Harmonised standards; none is cited in the Official Journal", {
      status: "pending",
    }),
    row(
      "gdpr-omnibus",
      null,
      "Proposal for a Digital Omnibus, its part on Regulation (EU) 2016/679",
      "Changes to the General Data Protection Regulation, which are a proposal",
      { status: "pending", source: "omnibus" },
    ),
  ],
  art_5: ["a", "b", "ba", "bb", "c", "d", "e", "f", "g", "h"],
};
