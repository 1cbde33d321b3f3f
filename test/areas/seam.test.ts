/** An area that stands in the registry is in the service: nothing else names it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import { operationsPage } from "../../src/api/describe/reference.ts";
import { areas, entitiesOf } from "../../src/areas/index.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { parcel, parcels } from "./parcels.ts";

type Listed = { success: boolean; data: { name: string; delivered: boolean }[] };
type Described = { tags: object[]; paths: Record<string, object> };
type Watched = {
  data: {
    projections: { name: string; behind: number }[];
    reactors: { name: string; last_good_s: number | null; trouble: object | null }[];
  };
};

let service: Service;
let headers: { Authorization: string };
beforeAll(async () => {
  service = await startService({ areas: [...areas, parcels], chain: "embedded", reactors: true });
  headers = (await service.issue()).headers;
});
afterAll(() => service.stop());

const send = (name: string) =>
  fetch(`${service.url}/v1/agent/parcels`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ name }),
  });
const get = async <T>(path: string) => (await (await fetch(service.url + path, { headers })).json()) as T;
const text = async (path: string) => (await fetch(service.url + path)).text();

describe("an area added to the registry", () => {
  test("is served over HTTP: its commands append, its read models list, its reactor acts", async () => {
    expect((await send("books")).status).toBe(201);
    await until(async () => {
      const { success, data } = await get<Listed>("/v1/agent/parcels");
      return success && data.length === 1 && data[0]?.name === "books" && data[0].delivered;
    });
    const tenant = "acme";
    const events = await service.app.store.readStream({ tenant, stream_id: parcel.streamOf("books") });
    expect(events.map(({ type }) => type)).toEqual(["ParcelSent", "ParcelDelivered"]);
  });

  test("refuses with its own kinds of problems, which are explained", async () => {
    await send("twice");
    const answer = await send("twice");
    expect(answer.status).toBe(409);
    expect((await answer.json()) as object).toHaveProperty("type", `${service.url}/problems#parcel-sent`);
    expect(await text("/problems")).toContain('<h2 id="parcel-sent">');
  });

  test("is served over MCP, by its name among the areas", async () => {
    const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp?areas=parcels`), {
      requestInit: { headers },
    });
    const client = new Client({ name: "seam", version: "1" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(["parcels_list", "parcels_send"]);
    const { structuredContent } = await client.callTool({ name: "parcels_send", arguments: { name: "mcp" } });
    expect(structuredContent).toMatchObject({ data: { name: "mcp", delivered: false } });
    await client.close();
  });

  test("is listed in OpenAPI, on the page of all operations and in llms.txt", async () => {
    const { tags, paths } = await get<Described>("/openapi.json");
    expect(tags).toContainEqual({ name: "parcels", description: parcels.about });
    expect(Object.keys(paths["/v1/agent/parcels"]!).sort()).toEqual(["get", "post"]);
    const page = operationsPage(catalogueOf([...areas, parcels]));
    expect(page).toContain("## parcels");
    expect(page).toContain("### parcels_send");
    expect(await text("/llms.txt")).toContain("[parcels_list]");
  });

  test("is watched: health and metrics name its read model and its reactor", async () => {
    await until(async () => {
      const { data } = await get<Watched>("/v1/agent/health");
      const folds = data.projections.find(({ name }) => name === "parcels_v1");
      const acts = data.reactors.find(({ name }) => name === "parcels.deliver");
      return folds?.behind === 0 && typeof acts?.last_good_s === "number" && acts.trouble === null;
    });
    expect(await text("/metrics")).toContain('"parcels.deliver"');
  });
});

describe("the registry refuses", () => {
  test("two entities whose streams share a category", () => {
    const twin = { ...parcels, entities: [{ ...parcel, prefix: "parcel-lost-" }] };
    expect(() => entitiesOf([parcels, twin])).toThrow("two entities have streams of the category parcel");
  });

  test("two operations of one name or one route", () => {
    const [first] = parcels.operations;
    const sameName = { ...parcels, operations: [{ ...first!, route: "GET /elsewhere" as const }] };
    expect(() => catalogueOf([parcels, sameName])).toThrow("parcels_send");
    const sameRoute = { ...parcels, operations: [{ ...first!, name: "other" }] };
    expect(() => catalogueOf([parcels, sameRoute])).toThrow("/v1/agent/parcels");
  });
});
