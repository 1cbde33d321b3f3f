/** From a proposal to its commit, as an agent and the operator see it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorMeta } from "../../src/core/app.ts";
import { CHECKS_VERSION } from "../../src/domain/evolution/checks.ts";
import * as ideas from "../../src/domain/evolution/idea.ts";
import { acceptIdea, allIdeas, landIdea, readIdea } from "../../src/operator/ideas.ts";
import { type Service, startService } from "../support/service.ts";
import { endless, fine } from "./drafts.ts";

let service: Service;
let mine: Record<string, string>;
let others: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  mine = (await service.issue()).headers;
  others = (await service.issue({ tenant: "other" })).headers;
});
afterAll(() => service.stop());

type IdeaAnswer = {
  idea_id: number;
  status: string;
  verdict: string;
  checks: { name: string; passed: boolean }[];
};

async function post(path: string, body: object, headers = mine) {
  const response = await fetch(`${service.url}/v1/agent/evolution/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as {
    data: IdeaAnswer;
    detail?: string;
    errors?: { path: string }[];
  };
  return { status: response.status, ...answer };
}

const idea = {
  title: "Next months",
  description: "One function.",
  target_file: fine.target_file,
  draft_content: fine.draft,
};
const checkedEvents = async () =>
  (
    await service.app.pool.query<{ count: number }>(
      "select count(*)::int as count from eventstore.events where type = 'ImprovementChecked'",
    )
  ).rows[0]!.count;

test("an idea is proposed, checked once, read, accepted and reported as landed", async () => {
  const { data } = await post("propose", idea);
  expect(data.status).toBe("proposed");
  const { idea_id } = data;
  const first = await post(`pipeline/${idea_id}`, {});
  expect(first.data).toMatchObject({ status: "passed", verdict: "passed" });
  expect(first.data.checks).toHaveLength(8);
  expect((await post(`pipeline/${idea_id}`, {})).data).toEqual(first.data);
  expect(await checkedEvents()).toBe(1);
  expect((await post(`pipeline/${idea_id}`, {}, others)).status).toBe(404);
  expect((await allIdeas(service.app)).map((row) => [row.idea_id, row.status])).toEqual([
    [idea_id, "passed"],
  ]);
  expect(await readIdea(service.app, idea_id)).toMatchObject({ draft: fine.draft });
  expect(await acceptIdea(service.app, idea_id, "It is short.")).toMatchObject({ status: "accepted" });
  expect(await landIdea(service.app, idea_id, "0123abc")).toMatchObject({
    status: "landed",
    commit: "0123abc",
  });
  // A landed draft keeps its verdict.
  expect((await post(`pipeline/${idea_id}`, {})).data).toMatchObject({ status: "landed", verdict: "passed" });
});

test("a repeated draft is reported as such, and its texts are in no event", async () => {
  const secret = `sk_live_${"a1B2".repeat(11)}`;
  const { data } = await post("propose", { ...idea, draft_content: `${fine.draft}// ${secret}\n` });
  const { data: judged } = await post(`pipeline/${data.idea_id}`, {});
  const bad = judged.checks.filter(({ passed }) => !passed).map(({ name }) => name);
  expect(bad).toEqual(["secrets"]);
  const { data: again } = await post("propose", idea);
  const { data: old } = await post(`pipeline/${again.idea_id}`, {});
  expect(old.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(["likeness"]);
  await expect(acceptIdea(service.app, again.idea_id, "no")).rejects.toMatchObject({ code: "conflict" });
  const { rows } = await service.app.pool.query<{ text: string }>(
    "select convert_from(payload, 'UTF8') || convert_from(meta, 'UTF8') as text from eventstore.events",
  );
  const log = rows.map(({ text }) => text).join("\n");
  for (const one of [secret, idea.title, idea.description, "addMonths"]) expect(log).not.toContain(one);
});

test("an idea that passed earlier checks is accepted once these have passed it as well", async () => {
  const { data } = await post("propose", { ...idea, target_file: "docs/earlier.md" });
  const { idea_id } = data;
  const { facts } = (await readIdea(service.app, idea_id)).idea;
  const { tenant } = (await allIdeas(service.app)).find((row) => row.idea_id === facts.idea_id)!;
  const earlier = { checks_version: CHECKS_VERSION - 1, checks: [], verdict: "passed" as const };
  const judged = ideas.judge({ ...earlier, checked_at: facts.proposed_at });
  await service.app.decide(ideas, ideas.targetOf(tenant, idea_id), judged, {
    meta: operatorMeta("ideas.test"),
  });
  await expect(acceptIdea(service.app, idea_id, "no")).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining(`have it checked by POST /v1/agent/evolution/pipeline/${idea_id}`),
  });
  const admin = await service.issue({ tenant: "admins", scopes: ["order", "admin"] });
  expect((await post(`pipeline/${idea_id}`, {}, admin.headers)).data.checks).toHaveLength(8);
  expect(await acceptIdea(service.app, idea_id, "Good.")).toMatchObject({ status: "accepted" });
});

test("a verdict of later checks stays if a process of an earlier version is called", async () => {
  const { data } = await post("propose", { ...idea, target_file: "docs/later.md" });
  const { tenant } = (await allIdeas(service.app)).find((row) => row.idea_id === data.idea_id)!;
  const later = { checks_version: CHECKS_VERSION + 1, checks: [], verdict: "failed" as const };
  const judged = ideas.judge({ ...later, checked_at: "2026-01-31T00:00:00.000Z" });
  await service.app.decide(ideas, ideas.targetOf(tenant, data.idea_id), judged, {
    meta: operatorMeta("ideas.test"),
  });
  const before = await checkedEvents();
  expect((await post(`pipeline/${data.idea_id}`, {})).data).toMatchObject({ ...later, status: "failed" });
  expect(await checkedEvents()).toBe(before);
});

test("a draft that exhausts the parser fails its check, once", async () => {
  const [draft_content] = Object.values(endless);
  const { data } = await post("propose", { ...idea, target_file: "src/domain/endless.ts", draft_content });
  const { data: judged } = await post(`pipeline/${data.idea_id}`, {});
  expect(judged.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(["syntax"]);
  expect((await post(`pipeline/${data.idea_id}`, {})).data).toEqual(judged);
});

test.each([
  [{ title: "" }, "title"],
  [{ title: "x".repeat(201) }, "title"],
  [{ description: "x".repeat(2_001) }, "description"],
  [{ target_file: "../../etc/passwd" }, "target_file"],
  [{ target_file: ".env" }, "target_file"],
  [{ draft_content: "" }, "draft_content"],
  [{ draft_content: "x".repeat(102_401) }, "draft_content"],
])("%# is refused before it is paid for, naming the field", async (bad, path) => {
  const { status, errors } = await post("propose", { ...idea, ...bad });
  expect([status, errors?.map((error) => error.path)]).toEqual([400, [path]]);
});

test("an idea needs its title alone; without a draft it is not checked, and is accepted as it is", async () => {
  const { status, data } = await post("propose", { title: "Answer in fewer words" });
  expect([status, data]).toEqual([
    200,
    expect.objectContaining({ status: "proposed", target_file: null, draft_sha256: null, draft_bytes: null }),
  ]);
  const refused = await post(`pipeline/${data.idea_id}`, {});
  expect(refused).toMatchObject({
    status: 409,
    detail: expect.stringContaining("propose it again with target_file and draft_content"),
  });
  expect(await readIdea(service.app, data.idea_id)).toMatchObject({ draft: "" });
  expect((await allIdeas(service.app)).find((row) => row.idea_id === data.idea_id)).toMatchObject({
    target_file: null,
    draft_sha256: null,
  });
  // A later draft for a file is compared with drafts alone.
  await post("propose", { title: "A file to look at", target_file: "docs/undrafted.md" });
  const drafted = await post("propose", { ...idea, target_file: "docs/undrafted.md" });
  expect((await post(`pipeline/${drafted.data.idea_id}`, {})).status).toBe(200);
  expect(await acceptIdea(service.app, data.idea_id, "True.")).toMatchObject({ status: "accepted" });
});

test("a call that needs no body is served whatever its content type", async () => {
  const { data } = await post("propose", { ...idea, target_file: "docs/bodiless.md" });
  const call = async (init: RequestInit) => {
    const url = `${service.url}/v1/agent/evolution/pipeline/${data.idea_id}`;
    return (await fetch(url, { method: "POST", ...init, headers: { ...mine, ...init.headers } })).status;
  };
  expect(await call({})).toBe(200);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"])
    expect([type, await call({ headers: { "Content-Type": type }, body: "" })]).toEqual([type, 200]);
  expect(await call({ headers: { "Content-Type": "text/plain" }, body: "{}" })).toBe(200);
  // An unknown field is refused, not dropped.
  expect(await call({ headers: { "Content-Type": "text/plain" }, body: "id=7" })).toBe(400);
});
