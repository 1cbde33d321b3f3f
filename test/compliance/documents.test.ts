/** Documents from an agent's own log over HTTP: their evidence, their formats, and the access to them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { nameSubject } from "../../src/domain/identity/fields.ts";
import { trustProjection } from "../../src/projections/trust/trust.ts";
import { eraseSubject } from "../../src/reactors/subjects/erasure.ts";
import { caller, delegation, PROXIED, type TestKey } from "../identity/agents.ts";
import { buy, present } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { attachmentOf, bare, pagesOf, wordsOf } from "./page-text.ts";

type Evidence = { event_id: string; position: number; type: string };
type Field = {
  name: string;
  value: string | null;
  missing: string | null;
  events: Evidence[];
  given: boolean;
  sealed: boolean;
};
type Document = {
  kind: string;
  document_id: string;
  sha256: string;
  as_of_position: number;
  rules: string;
  notice: string;
  sections: { id: string; provision: string; standing: string | null; fields: Field[] }[];
};

let service: Service;
let api: ReturnType<typeof caller>;
const PURPOSE = "Ranks job applicants for a recruiter in Valmiera";

const keyOf = (n: number): TestKey => {
  const account = wallet(n);
  return { kind: "evm", name: account.address, sign: (message) => account.signMessage({ message }) };
};
const own: Record<string, Record<string, string>> = {};
async function register(n: number, agent_id: string) {
  const proof = await api.proof(keyOf(n), agent_id);
  const { body } = await api.post("/soul/register", { agent_id, issue_api_key: true, ...proof });
  own[agent_id] = { Authorization: `Bearer ${body.api_key}` };
}

beforeAll(async () => {
  service = await startService({
    chain: "embedded",
    vault: true,
    env: { ...PROXIED, ANCHORING: "1", CHECKPOINT_SECONDS: "86400" },
  });
  api = caller(service.url);
  for (const [n, id] of [
    [1, "recruiter"],
    [2, "overseer"],
    [3, "silent"],
    [4, "leaving"],
  ] as const)
    await register(n, id);
  const services = [{ name: "A2A", endpoint: "https://recruiter.example.org/a2a" }];
  const provider = { organization: "Darbinieki SIA", url: "https://darbinieki.example.org" };
  const description = { purpose: PURPOSE, provider, version: "1.4.0", services };
  await api.post("/soul/recruiter/description", description, own.recruiter);
  await api.post(
    "/soul/leaving/description",
    { ...description, purpose: "Writes poems about Liepaja" },
    own.leaving,
  );
  await delegation(api, {
    by: keyOf(1),
    from: "recruiter",
    to: "SX#2",
    scopes: ["read"],
    expires_in_s: 86_400,
  });
  await signTick(service.app, { checkpoint_every_events: 0 });
});
afterAll(() => service.stop());

const FULL = "/soul/compliance/full-report";
const buyDocument = async (n: number, path: string, accept = "application/json") => {
  await until(() => service.app.caughtUp(trustProjection));
  const { answer } = await buy(wallet(n), service.url + path, { headers: { Accept: accept } });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
};
const documentOf = async (n: number, path: string): Promise<Document> => {
  const { status, bytes } = await buyDocument(n, path);
  expect([status, bytes.toString().slice(0, 300)]).toEqual([200, expect.anything()]);
  return (JSON.parse(bytes.toString()) as { data: Document }).data;
};
const fieldsOf = ({ sections }: Document) => sections.flatMap(({ fields }) => fields);
const fieldOf = (document: Document, name: string) =>
  fieldsOf(document).find((field) => field.name === name)!;

/** A publicly opened event; `stored`: its payload and metadata from the log. */
type OpenedEvent = {
  position: number;
  type: string;
  recorded_at: string;
  payload?: string;
  stored: StoredEvent;
};
type StoredEvent = { payload: { answer?: { vintage: string | null } }; meta: { operation?: string } };
async function open({ event_id }: Evidence): Promise<OpenedEvent> {
  const { status, body } = await api.get(`/log/proof/${event_id}`);
  expect(status).toBe(200);
  const sql = `select convert_from(payload, 'UTF8')::json as payload, convert_from(meta, 'UTF8')::json as meta
    from eventstore.events where event_id = $1`;
  const { rows } = await service.app.pool.query<StoredEvent>(sql, [event_id]);
  return { ...(body.event as Omit<OpenedEvent, "stored">), stored: rows[0]! };
}

/** Checks that the events have the value of a field, by the field's name. */
const CHECKS: Record<string, (value: string, events: OpenedEvent[]) => boolean> = {
  Agent: (value, [event]) => payloadOf(event).agent_id === value,
  Passport: (value, [event]) => value === `SX#${payloadOf(event).sx_number}`,
  "Passport hash": (value, [event]) => payloadOf(event).passport_hash === value,
  Registered: (value, [event]) => payloadOf(event).registered_at === value,
  Status: (value, [event]) => value === (event!.type === "AgentKeyProven" ? "proven" : "registered"),
  "Keys of the agent": (value, events) => value === events.map((event) => payloadOf(event).kid).join("; "),
  "Its delegates": (value, [event]) =>
    value ===
    `SX#${payloadOf(event).to} (${(payloadOf(event).scopes as string[]).join(", ")}) until ${payloadOf(event).expires_at}`,
  Version: (value, [event]) => payloadOf(event).version === value,
  "Reached at": (value, [event]) =>
    value ===
    (payloadOf(event).services as { name: string; endpoint: string }[])
      .map((one) => `${one.name} ${one.endpoint}`)
      .join("; "),
  "Acts of its own keys and wallets": (value, events) =>
    value.split("; ").every((part) => {
      const [type, count] = part.split(": ");
      return events.filter((event) => event.type === type).length >= Math.min(1, Number(count));
    }),
  "Events by month and operation": (value, events) =>
    events.every(({ recorded_at, stored }) =>
      value.includes(`${recorded_at.slice(0, 7)} ${stored.meta.operation}: `),
    ),
  "Vintages of the data that it bought": (value, events) =>
    events.every(({ stored }) => value.includes(`${stored.payload.answer?.vintage}: `)),
  "First and last record": (value, events) =>
    value
      .split(" to ")
      .every((time) =>
        events.some(
          ({ recorded_at, payload }) => recorded_at.startsWith(time.slice(0, -1)) || payload?.includes(time),
        ),
      ),
  "Checkpoint over the last record": (value, [event]) =>
    value === `size ${payloadOf(event).size}, root ${payloadOf(event).root}`,
};
const payloadOf = (event: OpenedEvent | undefined) =>
  JSON.parse(event?.payload ?? "{}") as Record<string, unknown>;

describe("a document", () => {
  test("has for each field a value in the events it names, or what is missing", async () => {
    const document = await documentOf(1, FULL);
    let opened = 0;
    for (const field of fieldsOf(document)) {
      expect([field.name, (field.value === null) !== (field.missing === null)]).toEqual([field.name, true]);
      if (field.value === null || field.given) continue;
      expect([field.name, field.events.length > 0]).toEqual([field.name, true]);
      const events = await Promise.all(field.events.map(open));
      for (const [at, event] of events.entries()) {
        expect(event).toMatchObject({ position: field.events[at]!.position, type: field.events[at]!.type });
        expect(event.position).toBeLessThanOrEqual(document.as_of_position);
        opened++;
      }
      if (field.sealed)
        expect([field.name, payloadOf(events[0]).about]).toEqual([
          field.name,
          expect.objectContaining({ ct: expect.anything() }),
        ]);
      else expect([field.name, CHECKS[field.name]?.(field.value, events)]).toEqual([field.name, true]);
    }
    expect(opened).toBeGreaterThan(30);
  });

  test("of an agent without activity has only values of its registration", async () => {
    const document = await documentOf(3, "/soul/compliance/annex-iv/silent");
    const valued = new Set(
      fieldsOf(document)
        .filter(({ value }) => value !== null)
        .map(({ name }) => name),
    );
    for (const name of [
      "Intended purpose",
      "Version",
      "Reached at",
      "Class by its purpose",
      "Its delegates",
      "Vintages of the data that it bought",
      "Refusals and failures",
      "Disputes",
      "Stakes that the agent lost",
      "Refunds",
      "Measures taken against it here",
      "Its score, by the last computation of each month",
    ])
      expect([name, valued.has(name)]).toEqual([name, false]);
    expect(document.sections.find(({ id }) => id === "annex-iv-2")).toMatchObject({ standing: "open" });
  });

  test("names the class of the purpose and the words that decide it", async () => {
    const { value } = fieldOf(await documentOf(1, FULL), "Class by its purpose");
    expect(value).toMatch(/^HIGH: Annex III, point 4\(a\) by .*applicants/);
  });

  test("calls no duty met that the log alone cannot confirm", async () => {
    const { sections } = await documentOf(1, "/soul/compliance/self-assessment/recruiter");
    const standing = Object.fromEntries(sections.map(({ id, standing }) => [id, standing]));
    expect(
      Object.entries(standing)
        .filter(([, is]) => is === "met")
        .map(([id]) => id),
    ).toEqual(["art-12"]);
    expect(standing).toMatchObject({ "art-10": "open", "art-17": "open", "art-14": "partly" });
  });
});

describe("a document at the same position", () => {
  test("has the same bytes in each format after later events, and is recorded once", async () => {
    const { as_of_position: position, document_id } = await documentOf(1, FULL);
    const path = `${FULL}?as_of_position=${position}`;
    const forms = ["application/json", "text/markdown", "text/html", "application/pdf"];
    const first = [];
    for (const form of forms) first.push((await buyDocument(1, path, form)).bytes);
    await api.post("/soul/recruiter/description", { services: [] }, own.recruiter);
    for (const [at, form] of forms.entries())
      expect([form, (await buyDocument(1, path, form)).bytes.equals(first[at]!)]).toEqual([form, true]);
    await api.post(
      "/soul/recruiter/description",
      { purpose: PURPOSE, version: "1.4.0", services: [] },
      own.recruiter,
    );
    const sql = "select count(*)::int as issued from eventstore.events where stream_id = $1";
    const { rows } = await service.app.pool.query<{ issued: number }>(sql, [`document-${document_id}`]);
    expect(rows[0]!.issued).toBe(1);
  });

  test("has the same fields in Markdown and PDF, and names its rules in the first and last line", async () => {
    const document = await documentOf(1, "/soul/compliance/self-assessment/recruiter");
    const path = `/soul/compliance/self-assessment/recruiter?as_of_position=${document.as_of_position}`;
    const markdown = (await buyDocument(1, path, "text/markdown")).bytes.toString().replaceAll("\\", "");
    const text = (await pagesOf((await buyDocument(1, path, "application/pdf")).bytes)).join("");
    for (const { value, missing } of fieldsOf(document)) {
      const shown = bare(value ?? missing!);
      expect([shown, bare(markdown).includes(shown)]).toEqual([shown, true]);
      expect([shown, bare(text).includes(shown)]).toEqual([shown, true]);
    }
    const lines = markdown.trim().split("\n");
    for (const line of [lines[2]!, lines.at(-1)!])
      expect(line).toContain(`${document.rules}. ${document.notice}`);
  });

  test.each(["full-report", "annex-iv/recruiter"])(
    "%s has the same words in Markdown and PDF",
    async (kind) => {
      const { as_of_position } = await documentOf(1, `/soul/compliance/${kind}`);
      const path = `/soul/compliance/${kind}?as_of_position=${as_of_position}`;
      const markdown = (await buyDocument(1, path, "text/markdown")).bytes.toString();
      const { heads, text } = wordsOf(markdown);
      let rest = text;
      for (const page of await pagesOf((await buyDocument(1, path, "application/pdf")).bytes)) {
        // A table that continues on a page repeats its header row.
        const body = ["", ...heads]
          .filter((head) => page.startsWith(head))
          .map((head) => page.slice(head.length))
          .find((one) => rest.startsWith(one));
        expect([page, body]).toEqual([page, expect.any(String)]);
        rest = rest.slice(body!.length);
      }
      expect(rest).toBe("");
    },
  );

  test("is refused after the end of the log and before the agent's registration", async () => {
    for (const position of [1, 9_999_999]) {
      const { status, bytes } = await buyDocument(1, `${FULL}?as_of_position=${position}`);
      const { errors } = JSON.parse(bytes.toString()) as { errors: { path: string }[] };
      expect([status, errors[0]!.path]).toEqual([400, "as_of_position"]);
    }
  });
});

describe("access to documents", () => {
  test.each([
    FULL,
    `${FULL}?provider_name=Guessed`,
    "/soul/compliance/annex-v",
    "/soul/compliance/annex-v?provider_name=Guessed",
    "/soul/compliance/self-assessment/recruiter",
    "/soul/compliance/annex-iv/recruiter",
  ])("%s is not repeated for somebody who copied the payment from the chain", async (path) => {
    const { answer, payment } = await buy(wallet(1), service.url + path);
    expect(answer.status).toBe(200);
    const again = await present(service.url + path, payment);
    expect([again.status, await again.text()]).toEqual([401, expect.stringMatching(/SIGN-IN-WITH-X/)]);
  });

  test("a wallet of another agent is refused and not charged, and a delegate of scope read is accepted", async () => {
    const path = "/soul/compliance/annex-iv/recruiter";
    const before = await service.app.store.head();
    const refused = await buyDocument(3, path);
    expect([refused.status, JSON.parse(refused.bytes.toString()).type]).toEqual([
      403,
      expect.stringContaining("not-yours"),
    ]);
    const claimed = await service.app.pool.query(
      "select 1 from eventstore.events where type = 'PaymentClaimed' and position > $1",
      [before.position],
    );
    expect(claimed.rowCount).toBe(0);
    expect((await buyDocument(2, path)).status).toBe(200);
    expect((await buyDocument(5, path)).status).toBe(403);
  });

  test("a provider's name in Chinese is readable in the PDF, and exact in its attachment", async () => {
    const path = `/soul/compliance/annex-v?provider_name=${encodeURIComponent("北京市贸易")}&address=A&standards=B`;
    const { bytes } = await buyDocument(1, path, "application/pdf");
    const text = (await pagesOf(bytes)).join("");
    expect(text).toContain("‹BeiJingShiMaoYi›");
    expect(text).toContain(bare("The attached document.json has the exact text."));
    expect(await attachmentOf(bytes)).toContain("北京市贸易");
  });

  test("values from the caller are in the declaration, and in no event and no digest", async () => {
    const { bytes } = await buyDocument(
      1,
      "/soul/compliance/annex-v?provider_name=Zvaigznite%20SIA&address=Brivibas%201&standards=ISO%2042001",
    );
    expect(bytes.toString()).toContain("Zvaigznite SIA");
    const sql =
      "select 1 from eventstore.events where convert_from(payload, 'UTF8') ~ 'Zvaigznite|Brivibas' or convert_from(meta, 'UTF8') ~ 'Zvaigznite'";
    expect((await service.app.pool.query(sql)).rowCount).toBe(0);
    const { data } = JSON.parse(bytes.toString()) as { data: Document };
    const other = await documentOf(
      1,
      `/soul/compliance/annex-v?provider_name=Another&address=Elsewhere&standards=ISO%2042001&as_of_position=${data.as_of_position}`,
    );
    expect([other.sha256, fieldOf(other, "Name").given]).toEqual([data.sha256, true]);
  });
});

test("erased values are in no format, and the erasure is listed with its events", async () => {
  const path = "/soul/compliance/annex-iv/leaving";
  const before = await documentOf(4, path);
  expect(fieldOf(before, "Intended purpose").value).toContain("Liepaja");
  expect(fieldOf(before, "Provider, as the agent's owner says").value).toContain("Darbinieki SIA");
  const meta = { actor: "operator", operation: "test" };
  await eraseSubject(service.app, nameSubject("leaving"), { by: "operator", meta });
  const atPosition = `${path}?as_of_position=${before.as_of_position}`;
  for (const form of ["application/json", "text/markdown", "text/html"])
    expect((await buyDocument(4, atPosition, form)).bytes.toString()).not.toMatch(/Liepaja|Darbinieki/);
  const pdf = (await buyDocument(4, atPosition, "application/pdf")).bytes;
  expect((await pagesOf(pdf)).join("")).not.toMatch(/Liepaja|Darbinieki/);
  expect(pdf.toString("latin1")).not.toMatch(/Liepaja|Darbinieki/);
  expect(fieldOf(await documentOf(4, atPosition), "Intended purpose").missing).toContain("erased");
  const { status, body } = await api.get("/soul/compliance/gdpr/17", own.leaving);
  expect(status).toBe(200);
  const [erasure] = body.erasures as {
    requested_event: string;
    erased_event: string;
    sealed_events: number;
  }[];
  expect((await open({ event_id: erasure!.requested_event } as Evidence)).type).toBe(
    "SubjectErasureRequested",
  );
  expect((await open({ event_id: erasure!.erased_event } as Evidence)).type).toBe("SubjectErased");
  expect((await api.get("/soul/compliance/gdpr/17", own.silent)).body.erasures).toEqual([]);
});

test("any caller gets the class of an agent, UNDETERMINED without a purpose", async () => {
  const of = async (id: string) =>
    JSON.parse((await buyDocument(5, `/v1/agent/soul/compliance/${id}`)).bytes.toString()) as Record<
      string,
      unknown
    >;
  const answer = await of("recruiter");
  expect(answer).toMatchObject({
    risk_level: "HIGH",
    applies_from: "2027-12-02",
    rules: "eu-ai-act/2026-07-24",
  });
  expect((await open({ event_id: answer.shown_by } as Evidence)).type).toBe("AgentDescribed");
  expect(await of("silent")).toMatchObject({ risk_level: "UNDETERMINED", shown_by: null });
  expect(addressOf(wallet(5))).toMatch(/^0x/);
});

test("the mapping names only event types of the log", async () => {
  const { body } = await api.get("/soul/compliance/mapping");
  const types = (body.elements as { events: string[] }[]).flatMap(({ events }) => events);
  for (const type of types)
    expect([type, service.app.unit.schemas.newestVersion(type)]).toEqual([type, expect.any(Number)]);
});
