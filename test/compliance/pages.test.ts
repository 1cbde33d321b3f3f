import { expect, test } from "vitest";
import { anchorsOf, piecesOf } from "../../src/core/model/doc.ts";
import { callerField } from "../../src/domain/compliance/document.ts";
import { compliancePages } from "../../src/domain/compliance/pages.ts";

const event = { event_id: "0198c3a0-0000-7000-8000-000000000001", position: 7, type: "AgentRegistered" };
const digest = "0".repeat(64);

test("a caller's [E1] is rendered as text, and the log's [E1] as a citation", () => {
  const logField = {
    ...callerField("Name", "Anna"),
    ...{ events: [event], given: false },
  };
  const section = {
    ...{ id: "one", title: "One", provision: "Article 9", standing: null, text: "" },
    fields: [logField, callerField("Purpose", "shown by [E1] and [E2], says [nobody]")],
  };
  const pages = compliancePages(
    {
      ...{ kind: "annex-v", title: "Draft", agent_id: "a", sx_id: "0x1", rules: "r", rules_sha256: digest },
      ...{ as_of_position: 7, as_of: "2026-01-01", sections: [section], dates: [], sources: [], notice: "" },
      ...{ document_id: "d", sha256: digest },
    },
    "https://host/events/",
    JSON.stringify,
  );
  const cells = pages.sections.flatMap(({ tables }) =>
    tables.flatMap(({ rows }) => rows.flatMap((row) => row.cells)),
  );
  const cited = cells.flatMap((cell) => piecesOf(cell, anchorsOf(pages)).filter(({ cites }) => cites));
  expect(cited).toEqual([{ text: "[E1]", cites: "E1" }]);
  expect(cells).toContain("shown by (E1) and (E2), says [nobody]");
});
