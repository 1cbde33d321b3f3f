/** A whole area of its own, as small as one can be: parcels that are sent by a command and delivered by a reactor. */
import { z } from "zod";
import { json, key, operation } from "../../src/api/declare/index.ts";
import type { Area } from "../../src/areas/area.ts";
import { reactor } from "../../src/core/background/reactor.ts";
import type { EventOf } from "../../src/core/model/entity.ts";
import { limit, positionCursor } from "../../src/core/model/fields.ts";
import { problemTypes } from "../../src/core/model/problem.ts";
import { refuse } from "../../src/core/model/refusal.ts";
import { projection } from "../../src/core/read-models/projection.ts";

const problems = problemTypes({
  "parcel-sent": {
    code: "conflict",
    title: "Parcel sent",
    meaning: "A parcel of this name was sent before.",
  },
});

const events = {
  ParcelSent: { means: "A parcel was sent.", 1: z.strictObject({ name: z.string() }) },
  ParcelDelivered: { means: "A parcel arrived.", 1: z.strictObject({ name: z.string() }) },
};
type ParcelEvent = EventOf<typeof events>;
type Parcel = { name: string; delivered: boolean } | undefined;

const prefix = "parcel-";
export const parcel = {
  prefix,
  events,
  streamOf: (id: string) => prefix + id,
  initialState: (): Parcel => undefined,
  evolve: (_: Parcel, { type, data }: ParcelEvent): Parcel => ({
    name: data.name,
    delivered: type === "ParcelDelivered",
  }),
};

const send =
  (name: string) =>
  (state: Parcel): ParcelEvent[] =>
    state
      ? refuse(problems["parcel-sent"], `${name} was sent before; take another name`)
      : [{ type: "ParcelSent", data: { name } }];

const deliver = (state: Parcel): ParcelEvent[] =>
  state && !state.delivered ? [{ type: "ParcelDelivered", data: { name: state.name } }] : [];

const parcelsProjection = projection({
  name: "parcels",
  version: 1,
  ddl: `create table if not exists read.parcels_v1 (
    tenant text not null, name text not null, delivered boolean not null, position bigint not null,
    primary key (tenant, name))`,
  of: [parcel],
  async fold(events, tx) {
    for (const { type, data, tenant, position } of events)
      await tx.query(
        `insert into read.parcels_v1 values ($1, $2, $3, $4)
         on conflict (tenant, name) do update set delivered = excluded.delivered`,
        [tenant, data.name, type === "ParcelDelivered", position],
      );
  },
});

type Row = { name: string; tenant: string; delivered: boolean; position: string };

const deliveries = reactor({
  name: "parcels.deliver",
  every_ms: 20,
  memory: () => ({}),
  failures: { failed: "parcels cannot be delivered" },
  resumed: "parcels are delivered again",
  async take({ app, signal }) {
    await app.caughtUp(parcelsProjection);
    const open = await app.pool.query<Row>("select * from read.parcels_v1 where not delivered limit 100");
    for (const { name, tenant } of open.rows) {
      if (signal.aborted) break;
      await app.decide(parcel, { tenant, id: name }, deliver, { meta: { actor: "reactor:parcels" } });
    }
    return "done";
  },
});

const shown = z.object({ name: z.string(), delivered: z.boolean() });
const name = z.string().regex(/^[a-z]{1,20}$/, "is 1 to 20 lower-case letters");

const sendParcel = operation({
  name: "parcels_send",
  route: "POST /v1/agent/parcels",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Send a parcel",
  description: "Sends a parcel, which is delivered soon after.",
  access: [key("order")],
  input: z.object({ name: name.describe("What the parcel is called") }),
  output: json(z.object({ data: shown, meta: z.object({}) })),
  status: 201,
  refuses: [409],
  example: { name: "books" },
  handle: async ({ input, caller, unit }) => {
    const { state } = await unit.decide(parcel, { tenant: caller.tenant, id: input.name }, send(input.name));
    return { data: state!, meta: {} };
  },
});

const listParcels = operation({
  name: "parcels_list",
  route: "GET /v1/agent/parcels",
  summary: "Your parcels",
  description: "Lists your parcels, the newest first.",
  access: [key("read")],
  lists: parcelsProjection,
  input: z.object({ limit: limit("How many to list"), cursor: positionCursor }),
  output: json(z.object({ data: z.array(shown), meta: z.object({ next_cursor: z.string().nullable() }) })),
  example: {},
  handle: async ({ input, caller, app }) => {
    const { rows } = await app.pool.query<Row>(
      `select name, delivered, position from read.parcels_v1
       where tenant = $1 and ($2::bigint is null or position < $2) order by position desc limit $3`,
      [caller.tenant, input.cursor ?? null, input.limit + 1],
    );
    const page = rows.slice(0, input.limit);
    const next_cursor = rows.length > page.length ? page.at(-1)!.position : null;
    return { data: page.map(({ name, delivered }) => ({ name, delivered })), meta: { next_cursor } };
  },
});

export const parcels: Area = {
  name: "parcels",
  about: "Parcels, which show what an area is",
  envelope: "success",
  entities: [parcel],
  projections: [parcelsProjection],
  reactors: [deliveries],
  operations: [sendParcel, listParcels],
  problems,
};
