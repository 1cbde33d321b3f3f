/** The dates of each edition of the AI Act, and the edition in force on a day. */
import { describe, expect, test } from "vitest";
import { classify } from "../../src/domain/compliance/classify.ts";
import { rulesOn } from "../../src/domain/compliance/rules.ts";

const levelOf = (text: string, day: string) => classify(text, rulesOn(day)).risk_level;

describe("the edition of a day", () => {
  const dateIn = (day: string, id: string) => rulesOn(day).dates.find((row) => row.id === id);

  const IN_FORCE: Record<string, [id: string, day: string, provision: string][]> = {
    "2026-07-26": [
      ["prohibitions", "2025-02-02", "Article 113(a)"],
      ["general-purpose", "2025-08-02", "Article 113(b)"],
      ["general", "2026-08-02", "Article 113"],
      ["annex-iii", "2026-08-02", "Article 6(2), Annex III"],
      ["annex-i", "2027-08-02", "Article 113(c); Article 6(1), Annex I"],
      ["older-models", "2027-08-02", "Article 111(3)"],
      ["public-authorities", "2030-08-02", "Article 111(2)"],
      ["large-scale", "2030-12-31", "Article 111(1); Annex X"],
    ],
    "2026-11-20": [
      ["prohibitions", "2025-02-02", "Article 5"],
      ["literacy", "2025-02-02", "Article 4"],
      ["general-purpose", "2025-08-02", "Chapter V"],
      ["general", "2026-08-02", "Article 113"],
      ["intimate-images", "2026-12-02", "Article 5(1)(ba) and (bb)"],
      ["marking-of-older-systems", "2026-12-02", "Article 111(4); Article 50(2)"],
      ["older-models", "2027-08-02", "Article 111(3)"],
      ["annex-iii", "2027-12-02", "Annex III"],
      ["annex-i", "2028-08-02", "Annex I"],
      ["public-authorities", "2030-08-02", "Article 111(2)"],
      ["large-scale", "2030-12-31", "Article 111(1); Annex X"],
    ],
  };

  describe.each(Object.entries(IN_FORCE))("on %s", (asOf, rows) => {
    test.each(rows)("%s applies from %s by %s", (id, day, provision) => {
      const row = dateIn(asOf, id)!;
      expect([row.applies_from, row.status]).toEqual([day, "in_force"]);
      expect(row.provision).toContain(provision);
    });

    test("has no other date in force", () => {
      const others = rulesOn(asOf).dates.filter(({ status }) => status === "in_force");
      expect(others.map(({ id }) => id).sort()).toEqual(rows.map(([id]) => id).sort());
    });
  });

  test.each(["guidelines", "standards", "gdpr-omnibus"])("%s is pending and has no date", (id) => {
    expect(dateIn("2026-11-20", id)).toMatchObject({ applies_from: null, status: "pending" });
  });

  test("lists the deadline of the former interface as superseded", () => {
    const { dates } = rulesOn("2026-11-20");
    const high = dates.filter(({ what }) => /high-risk systems of annex iii/i.test(what));
    expect(high.map(({ applies_from, status }) => [applies_from, status])).toEqual([
      ["2026-08-02", "superseded"],
      ["2027-12-02", "in_force"],
    ]);
    expect(dateIn("2026-11-20", "deadline-of-the-interface")?.superseded_by).toBe("annex-iii");
  });

  test("lists the source of each date, and names a text that was not read as reported", () => {
    for (const day of ["2026-07-26", "2026-07-28"]) {
      const { dates, sources } = rulesOn(day);
      for (const row of dates) expect(sources.map(({ id }) => id)).toContain(row.source);
    }
    const omnibus = rulesOn("2026-07-28").sources.find(({ id }) => id === "omnibus");
    expect(omnibus).toMatchObject({ certainty: "reported", note: expect.stringContaining("not at hand") });
  });

  test("answers from its first day in force", () => {
    expect([rulesOn("2026-07-26").id, rulesOn("2026-07-28").id]).toEqual([
      "eu-ai-act/2024-07-12",
      "eu-ai-act/2026-07-24",
    ]);
    const app = "Takes a photo of a woman and shows her naked, generating the picture.";
    expect([levelOf(app, "2026-07-26"), levelOf(app, "2026-07-28")]).toEqual(["LIMITED", "PROHIBITED"]);
    expect(classify(app, rulesOn("2026-07-28")).applies_from).toBe("2026-12-02");
    expect(() => rulesOn("2024-07-31")).toThrow(/as_of/);
  });
});
