/** Regulation (EU) 2024/1689 as it was published on 12 July 2024. */
import type { RuleDate, Rules } from "../rule.ts";

const row = (id: string, applies_from: string, provision: string, what: string): RuleDate => ({
  id,
  applies_from,
  what,
  provision,
  status: "in_force",
  superseded_by: null,
  source: "act",
});

export const asPublished: Rules = {
  id: "eu-ai-act/2024-07-12",
  title: "Regulation (EU) 2024/1689 (Artificial Intelligence Act), as published",
  in_force: "2024-08-01",
  sources: [
    {
      id: "act",
      title: "Regulation (EU) 2024/1689 of 13 June 2024, OJ L, 2024/1689, 12.7.2024",
      url: "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
      certainty: "reported",
      note: "Article 113, which has the dates, was read as it is reproduced elsewhere (legalviz.eu); the other provisions are named without the text at hand.",
    },
  ],
  dates: [
    row(
      "prohibitions",
      "2025-02-02",
      "Article 113(a); Chapters I and II",
      "Prohibited practices (Article 5) and AI literacy (Article 4)",
    ),
    row(
      "general-purpose",
      "2025-08-02",
      "Article 113(b); Chapter V, Chapter VII, Chapter XII, Chapter III Section 4, Article 78",
      "General-purpose AI models, governance and penalties",
    ),
    row("general", "2026-08-02", "Article 113", "General application, Article 50 among it"),
    row("annex-iii", "2026-08-02", "Article 113; Article 6(2), Annex III", "High-risk systems of Annex III"),
    row(
      "annex-i",
      "2027-08-02",
      "Article 113(c); Article 6(1), Annex I",
      "High-risk systems that are products, or safety components of products, of Annex I",
    ),
    row(
      "older-models",
      "2027-08-02",
      "Article 111(3)",
      "General-purpose AI models placed on the market before 2 August 2025",
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
  ],
  art_5: ["a", "b", "c", "d", "e", "f", "g", "h"],
};
