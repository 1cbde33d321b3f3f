/** What the shop has: each product as it stands, and what lies where of it. */
import type pg from "pg";
import { emptyBuckets, entriesOf, withValue } from "../../domain/commerce/buckets.ts";
import * as product from "../../domain/commerce/product.ts";
import type { Reservation, Shelf, StockState } from "../../domain/commerce/stock.ts";
import * as stock from "../../domain/commerce/stock.ts";
import { projection } from "../projection.ts";
import type { Placed } from "../typed.ts";

export const catalogueProjection = projection({
  name: "catalogue",
  version: 1,
  ddl: `
    create table if not exists read.products_v1 (
      tenant       text not null,
      product_id   bigint not null,
      slug         text not null,
      type         text not null,
      is_withdrawn boolean not null,
      state        jsonb not null,
      primary key (tenant, product_id)
    );
    create index if not exists products_v1_slug on read.products_v1 (tenant, slug);
    create table if not exists read.shelves_v1 (
      tenant     text not null,
      product_id bigint not null,
      location   text not null,
      place      int not null,
      on_hand    bigint not null,
      reserved   bigint not null,
      primary key (tenant, product_id, location)
    );
    create table if not exists read.reservations_v1 (
      tenant      text not null,
      product_id  bigint not null,
      order_id    bigint not null,
      reservation jsonb not null,
      primary key (tenant, product_id, order_id)
    );`,
  of: [product, stock],
  async fold(events, tx) {
    for (const [first, ...others] of byStream(events)) {
      const place: Place = { tenant: first.tenant, product_id: Number(first.id) };
      const told = [first, ...others];
      await foldProduct(tx, place, told.filter(isOfProduct));
      await foldStock(tx, place, told.filter(isOfStock));
    }
  },
});

type Place = { tenant: string; product_id: number };
type Told = Placed<typeof product | typeof stock>;

/** Events of each stream together, in their order. */
function byStream(events: readonly Told[]): [Told, ...Told[]][] {
  const streams = new Map<string, [Told, ...Told[]]>();
  for (const event of events) {
    const name = `${event.tenant}\n${event.stream_id}`;
    const known = streams.get(name);
    if (known) known.push(event);
    else streams.set(name, [event]);
  }
  return [...streams.values()];
}

const isOfStock = (event: Told): event is Placed<typeof stock> => Object.hasOwn(stock.events, event.type);
const isOfProduct = (event: Told): event is Placed<typeof product> => !isOfStock(event);

async function foldProduct(
  tx: pg.ClientBase,
  { tenant, product_id }: Place,
  events: readonly Placed<typeof product>[],
): Promise<void> {
  if (events.length === 0) return;
  const { rows } = await tx.query<{ state: product.Product }>(
    "select state from read.products_v1 where tenant = $1 and product_id = $2",
    [tenant, product_id],
  );
  const state = events.reduce(product.evolve, rows[0]?.state as product.ProductState);
  if (!state) throw new Error(`product ${product_id} of ${tenant} was not listed first`);
  const { slug, type } = state.facts;
  await tx.query(
    `insert into read.products_v1 values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant, product_id) do update set is_withdrawn = excluded.is_withdrawn, state = excluded.state`,
    [tenant, product_id, slug, type, state.withdrawn_at !== null, JSON.stringify(state)],
  );
}

/** Folds over the shelves and those reservations alone that the events name: there may be many others. */
async function foldStock(
  tx: pg.ClientBase,
  { tenant, product_id }: Place,
  events: readonly Placed<typeof stock>[],
): Promise<void> {
  if (events.length === 0) return;
  const orders = [...new Set(events.flatMap(({ data }) => ("order_id" in data ? [data.order_id] : [])))];
  const shelves = await tx.query<Shelf>(
    "select location, on_hand, reserved from read.shelves_v1 where tenant = $1 and product_id = $2 order by place",
    [tenant, product_id],
  );
  const held = await tx.query<{ order_id: number; reservation: Reservation }>(
    "select order_id, reservation from read.reservations_v1 where tenant = $1 and product_id = $2 and order_id = any($3)",
    [tenant, product_id, orders],
  );
  const open = held.rows.reduce(
    (all, { order_id, reservation }) => withValue(all, String(order_id), reservation),
    emptyBuckets<Reservation>(),
  );
  const now = events.reduce<StockState>(stock.evolve, {
    ...stock.initialState(),
    shelves: shelves.rows,
    open,
  });
  await tx.query(
    `insert into read.shelves_v1
     select $1, $2, s.location, s.place, s.on_hand, s.reserved
       from jsonb_to_recordset($3) as s(location text, place int, on_hand bigint, reserved bigint)
     on conflict (tenant, product_id, location) do update set on_hand = excluded.on_hand, reserved = excluded.reserved`,
    [tenant, product_id, JSON.stringify(now.shelves.map((shelf, place) => ({ ...shelf, place })))],
  );
  await tx.query(
    "delete from read.reservations_v1 where tenant = $1 and product_id = $2 and order_id = any($3)",
    [tenant, product_id, orders],
  );
  await tx.query(
    `insert into read.reservations_v1
     select $1, $2, key::bigint, value from jsonb_each($3)`,
    [tenant, product_id, JSON.stringify(Object.fromEntries(entriesOf(now.open)))],
  );
}

/** A product as it stands, and what lies where of it, in the operator's order. */
export type Stocked = product.Product & { shelves: readonly Shelf[] };

export type CatalogueFilter = {
  tenant: string;
  type?: product.ProductType | undefined;
  product_id?: number | undefined;
  slug?: string | undefined;
};

/** Products of a shop that fit, those that were withdrawn among them, by product_id. */
export async function listProducts(
  pool: pg.Pool,
  { tenant, type, product_id, slug }: CatalogueFilter,
): Promise<Stocked[]> {
  const sql = `select state, coalesce((
      select jsonb_agg(jsonb_build_object('location', location, 'on_hand', on_hand, 'reserved', reserved) order by place)
        from read.shelves_v1 s where s.tenant = p.tenant and s.product_id = p.product_id), '[]') as shelves
    from read.products_v1 p
    where tenant = $1 and ($2::text is null or type = $2) and ($3::bigint is null or product_id = $3)
      and ($4::text is null or slug = $4) order by product_id`;
  const values = [tenant, type ?? null, product_id ?? null, slug ?? null];
  const { rows } = await pool.query<{ state: product.Product; shelves: Shelf[] }>(sql, values);
  return rows.map(({ state, shelves }) => ({ ...state, shelves }));
}

/** The product of this slug; of several the first that is still sold. */
export async function findProduct(pool: pg.Pool, tenant: string, slug: string): Promise<number | undefined> {
  const sql = `select product_id from read.products_v1 where tenant = $1 and slug = $2
    order by is_withdrawn, product_id limit 1`;
  return (await pool.query<{ product_id: number }>(sql, [tenant, slug])).rows[0]?.product_id;
}

/** The number after the highest that a shop has used. */
export async function nextProductId(pool: pg.Pool, tenant: string): Promise<number> {
  const sql = "select coalesce(max(product_id), 0) + 1 as next from read.products_v1 where tenant = $1";
  return (await pool.query<{ next: number }>(sql, [tenant])).rows[0]!.next;
}
