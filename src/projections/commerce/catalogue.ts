/** The current products and their stock by location. */
import type pg from "pg";
import { batched } from "../../../eventstore/query-batch.ts";
import { projection } from "../../core/read-models/projection.ts";
import { saveRows } from "../../core/read-models/rows.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import { emptyBuckets, entriesOf, withValue } from "../../domain/commerce/buckets.ts";
import * as product from "../../domain/commerce/product.ts";
import type { Reservation, Shelf, StockState } from "../../domain/commerce/stock.ts";
import * as stock from "../../domain/commerce/stock.ts";

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
    await foldProducts(tx, byProduct(events.filter(isOfProduct)));
    await foldStocks(tx, byProduct(events.filter(isOfStock)));
  },
});

type GoodsEvent = PositionedEvent<typeof product | typeof stock>;
type Row<Rest> = { tenant: string; product_id: number } & Rest;

const isOfStock = (event: GoodsEvent): event is PositionedEvent<typeof stock> =>
  Object.hasOwn(stock.events, event.type);
const isOfProduct = (event: GoodsEvent): event is PositionedEvent<typeof product> => !isOfStock(event);

const nameOf = ({ tenant, product_id }: Row<object>) => `${tenant}\n${product_id}`;

/** The events of one product, in order. */
type ProductEvents<E> = Row<{ events: [E, ...E[]] }>;

function byProduct<E extends GoodsEvent>(events: readonly E[]): ProductEvents<E>[] {
  const pages = new Map<string, ProductEvents<E>>();
  for (const event of events) {
    const key = { tenant: event.tenant, product_id: Number(event.id) };
    const page = pages.get(nameOf(key));
    if (page) page.events.push(event);
    else pages.set(nameOf(key), { ...key, events: [event] });
  }
  return [...pages.values()];
}

/** The key columns of products. */
const namesOf = (rows: readonly Row<object>[]) => [
  rows.map(({ tenant }) => tenant),
  rows.map(({ product_id }) => product_id),
];

function grouped<R extends Row<object>>(rows: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) groups.set(nameOf(row), [...(groups.get(nameOf(row)) ?? []), row]);
  return groups;
}

async function foldProducts(
  tx: pg.ClientBase,
  pages: readonly ProductEvents<PositionedEvent<typeof product>>[],
): Promise<void> {
  if (pages.length === 0) return;
  const { rows } = await tx.query<Row<{ state: product.Product }>>(
    `select tenant, product_id, state from read.products_v1
     where (tenant, product_id) in (select * from unnest($1::text[], $2::bigint[]))`,
    namesOf(pages),
  );
  const states = grouped(rows);
  const now = pages.map(({ tenant, product_id, events }) => {
    const before = states.get(nameOf({ tenant, product_id }))?.[0]?.state;
    const state = events.reduce(product.evolve, before as product.ProductState);
    if (!state) throw new Error(`product ${product_id} of ${tenant} was not listed first`);
    const { slug, type } = state.facts;
    return { tenant, product_id, slug, type, is_withdrawn: state.withdrawn_at !== null, state };
  });
  await saveRows(tx, "read.products_v1", ["tenant", "product_id"], now);
}

/** Folds over the shelves and only the reservations that events refer to: there may be many others. */
async function foldStocks(
  tx: pg.ClientBase,
  pages: readonly ProductEvents<PositionedEvent<typeof stock>>[],
): Promise<void> {
  if (pages.length === 0) return;
  const shelved = await tx.query<Row<Shelf>>(
    `select tenant, product_id, location, on_hand, reserved from read.shelves_v1
     where (tenant, product_id) in (select * from unnest($1::text[], $2::bigint[])) order by place`,
    namesOf(pages),
  );
  const keys = pages.flatMap(({ tenant, product_id, events }) =>
    [...ordersIn(events)].map((order_id) => ({ tenant, product_id, order_id })),
  );
  const reservedRows = await tx.query<Row<{ order_id: number; reservation: Reservation }>>(
    `delete from read.reservations_v1
     where (tenant, product_id, order_id) in (select * from unnest($1::text[], $2::bigint[], $3::bigint[]))
     returning tenant, product_id, order_id, reservation`,
    [...namesOf(keys), keys.map(({ order_id }) => order_id)],
  );
  const [shelves, open] = [grouped(shelved.rows), grouped(reservedRows.rows)];
  const now = pages.map(({ tenant, product_id, events }) => {
    const name = nameOf({ tenant, product_id });
    const state = events.reduce<StockState>(stock.evolve, {
      ...stock.initialState(),
      shelves: (shelves.get(name) ?? []).map(({ location, on_hand, reserved }) => ({
        location,
        on_hand,
        reserved,
      })),
      open: (open.get(name) ?? []).reduce(
        (all, { order_id, reservation }) => withValue(all, String(order_id), reservation),
        emptyBuckets<Reservation>(),
      ),
    });
    return { tenant, product_id, state };
  });
  const shelvesNow = now.flatMap(({ state, ...of }) =>
    state.shelves.map((shelf, place) => ({ ...of, ...shelf, place })),
  );
  await saveRows(tx, "read.shelves_v1", ["tenant", "product_id", "location"], shelvesNow);
  const openNow = now.flatMap(({ state, ...of }) =>
    entriesOf(state.open).map(([order_id, reservation]) => ({ ...of, order_id, reservation })),
  );
  await tx.query(
    "insert into read.reservations_v1 select * from jsonb_populate_recordset(null::read.reservations_v1, $1::jsonb)",
    [JSON.stringify(openNow)],
  );
}

const ordersIn = (events: readonly PositionedEvent<typeof stock>[]): ReadonlySet<number> =>
  new Set(events.flatMap(({ data }) => ("order_id" in data ? [data.order_id] : [])));

/** A product with its stock in the operator's order. */
export type StockedProduct = product.Product & { shelves: readonly Shelf[] };

export type CatalogueFilter = {
  tenant: string;
  type?: product.ProductType | undefined;
  product_id?: number | undefined;
  slug?: string | undefined;
};

/** Matching products of a shop by product_id, withdrawn ones included. */
export async function listProducts(
  pool: pg.Pool,
  { tenant, type, product_id, slug }: CatalogueFilter,
): Promise<StockedProduct[]> {
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

type ProductSlug = { tenant: string; slug: string };

/** The product with this slug; of several the first that is still sold. */
export const findProduct = batched<ProductSlug, number | undefined>(async (pool, names) => {
  const text = `select (
      select product_id from read.products_v1 p where p.tenant = named.tenant and p.slug = named.slug
      order by is_withdrawn, product_id limit 1) as product_id
    from unnest($1::text[], $2::text[]) with ordinality as named (tenant, slug, place) order by place`;
  const values = [names.map(({ tenant }) => tenant), names.map(({ slug }) => slug)];
  const { rows } = await pool.query<{ product_id: number | null }>({
    name: "commerce_find_products",
    text,
    values,
  });
  return rows.map(({ product_id }) => product_id ?? undefined);
});

/** The number after a shop's highest. */
export async function nextProductId(pool: pg.Pool, tenant: string): Promise<number> {
  const sql = "select coalesce(max(product_id), 0) + 1 as next from read.products_v1 where tenant = $1";
  return (await pool.query<{ next: number }>(sql, [tenant])).rows[0]!.next;
}
