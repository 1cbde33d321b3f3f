/** Random histories: events with payloads that fit their schemas, in any order, about a few of each entity. */
import type { z } from "zod";
import type { JsonObject, JsonValue, RecordedEvent } from "../../eventstore/types.ts";
import type { EntityEvents } from "../../src/core/model/entity.ts";
import { ByteStream } from "../../src/domain/games/bytes.ts";
import { type DrawnName, play, readParams } from "../../src/domain/games/drawn.ts";

/** Numbers below `n`, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const FEW = 5;
const START = Date.parse("2026-01-01T00:00:00.000Z");
const hex = (n: number, length: number) => (n + 10).toString(16).padStart(length, "0");
export const wallet = (n: number) => `0x${hex(n, 40)}`;
export const digest = (n: number) => hex(n, 64);
const asset = wallet(99);
const TENANTS = ["acme", "soul:1", "soul:2", `wallet:${wallet(0)}`, `wallet:${wallet(1)}`, "test:acme"];
const paymentId = (n: number) => `eip155:8453:${asset}:${wallet(n % 4)}:0x${hex(n, 64)}`;

/** Entities whose streams are not named by 16 random bytes; those of one stream have the same name for any number. */
const IDS: Record<string, (n: number) => string> = {
  ...Object.fromEntries(
    ["product-", "stock-", "order-", "node-", "idea-"].map((name) => [name, (n) => `${n + 1}`]),
  ),
  ...Object.fromEntries(["seeds-", "loungeaccount-", "signals-"].map((name) => [name, () => "live"])),
  "agent-": (n) => `agent-${n}`,
  "payment-": paymentId,
  "channel-": paymentId,
  "account-": (n) => TENANTS[n % TENANTS.length]!,
};

export const idIn = (prefix: string, n: number): string => IDS[prefix]?.(n) ?? hex(n, 32);

function tenantOf(prefix: string, id: string, n: number): string {
  if (prefix === "payment-" || prefix === "channel-") return `wallet:${id.split(":")[3]}`;
  if (prefix === "node-") return `soul:${id}`;
  return prefix === "account-" ? id : TENANTS[n % TENANTS.length]!;
}

/** Histories may repeat these first events, which no decision would. */
const AGAIN = new Set([
  "payment-",
  "node-",
  "seeds-",
  "anchor-",
  "alerts-evaluated-",
  "chain-",
  "trust",
  "account-",
]);

/** The fields by which events name their stream's entity. */
const OWN = [
  ...[
    "key_id",
    "product_id",
    "order_id",
    "attestation_id",
    "task_id",
    "execution_id",
    "bounty_id",
    "item_id",
  ],
  ...[
    "airdrop_id",
    "subject_id",
    "check_id",
    "trade_id",
    "batch_id",
    "subscription_id",
    "idea_id",
    "agent_id",
  ],
];
const OWN_PREFIX = ["key", "product", "order", "attestation", "task", "execution", "bounty", "stack"].concat([
  ...["airdrop", "subject", "check", "papertrade", "newsbatch", "alert-subscription", "idea", "agent"],
]);

type EventLocation = { prefix: string; id: string; n: number; position: number; type: string };
// biome-ignore lint/suspicious/noExplicitAny: what a schema is made of has no public type.
type Def = any;

class Payloads {
  readonly below: (n: number) => number;
  readonly place: EventLocation;

  constructor(below: (n: number) => number, place: EventLocation) {
    this.below = below;
    this.place = place;
  }

  of(schema: z.ZodType, name = ""): JsonValue | undefined {
    const def: Def = (schema as Def)._zod.def;
    switch (def.type) {
      case "object":
        return Object.fromEntries(
          Object.entries(def.shape as Record<string, z.ZodType>)
            .map(([member, one]) => [member, this.of(one, member)] as const)
            .filter(([, value]) => value !== undefined),
        ) as JsonObject;
      case "array":
        return Array.from({ length: 1 + this.below(2) }, () => this.of(def.element, name) ?? null);
      case "nullable":
        return this.below(3) === 0 ? null : this.of(def.innerType, name);
      case "optional":
        return this.below(2) === 0 ? undefined : this.of(def.innerType, name);
      case "union":
        return this.of(def.options[this.below(def.options.length)], name);
      case "enum": {
        const values = Object.values(def.entries) as string[];
        return values[this.below(values.length)]!;
      }
      case "literal":
        return def.values[this.below(def.values.length)];
      case "boolean":
        return this.below(2) === 0;
      case "number":
      case "int":
        return this.#number(schema, name);
      case "string":
        return this.#string(schema, name);
      case "pipe":
        return this.of(def.in, name);
      case "readonly":
      case "default":
      case "nonoptional":
        return this.of(def.innerType, name);
      case "tuple":
        return def.items.map((one: z.ZodType) => this.of(one, name) ?? null);
      case "lazy":
        return this.of(def.getter(), name);
      case "null":
        return null;
      default:
        return {};
    }
  }

  #ownId(name: string): string | undefined {
    const { prefix, id } = this.place;
    return OWN_PREFIX[OWN.indexOf(name)] === prefix.slice(0, -1) ? id : undefined;
  }

  #number(schema: z.ZodType, name: string): number {
    const { place, below } = this;
    const own =
      this.#ownId(name) ?? (name === "product_id" && place.prefix === "stock-" ? place.id : undefined);
    if (own !== undefined) return Number(own);
    if (name === "sx_number" && place.prefix === "agent-") return place.n + 1;
    const fits = [1 + below(4), below(40), 100 * (1 + below(50)), place.position, 2.5, 0.5, 202_401, 2];
    return fits.find((value) => schema.safeParse(value).success) ?? 1;
  }

  #string(schema: z.ZodType, name: string): string {
    const { place, below } = this;
    const own = this.#ownId(name);
    if (own !== undefined) return own;
    if (name === "payer" && place.prefix === "payment-") return place.id.split(":")[3]!;
    if (name === "asset") return asset;
    if (name === "nonce" && place.prefix === "payment-") return place.id.split(":")[4]!;
    if (/^(kid|public|wallet)$/.test(name)) return wallet(below(4));
    const party = /^(tenant|by|to)$/.test(name) ? TENANTS[below(TENANTS.length)]! : undefined;
    if (party !== undefined && schema.safeParse(party).success) return party;
    if (/^(source|payment_id)$/.test(name) && below(2) === 0)
      return `${name === "source" ? "payment:" : ""}${paymentId(below(FEW))}`;
    const at = new Date(START + place.position * 3_600_000 - below(5) * 7_200_000).toISOString();
    const some = [
      ...[
        "eip155:8453",
        digest(below(4)),
        hex(below(FEW), 32),
        wallet(below(4)),
        `0x${digest(below(4))}`,
        at,
      ],
      ...[
        at.slice(0, 10),
        `${1 + below(5)}`,
        `w${below(6)}`,
        at.slice(0, 7),
        "LV",
        "44013100",
        "1.5",
        "riga",
      ],
      ...["3b241101-e2bb-4255-8caf-4136c566a962", `${hex(below(FEW), 32)}`, "https://example.org/"],
      ...["A".repeat(16), "A".repeat(22), "a.ts", "docs/a.md", paymentId(1), "4401310000"],
    ];
    const fitting = some.filter((value) => schema.safeParse(value).success);
    const free = schema.safeParse("any words").success;
    return free ? `${name}-${below(FEW)}` : (fitting[0] ?? "x");
  }
}

/** The drawn result must be possible in that game. */
function drawnAnew(payload: JsonObject, game: DrawnName, n: number): JsonObject {
  const params = readParams(game, game === "dice" ? { sides: 6 } : { direction: "under", target: 50 });
  const draw = { tenant: "acme", game, client_seed: "x", nonce: n };
  const result = play(game, params, new ByteStream(Buffer.alloc(32, 7), draw));
  return { ...payload, game, params, result, roll_id: hex(n, 32) } as JsonObject;
}

type Versions = Record<string, z.ZodType>;
const newestOf = (versions: Versions) =>
  Object.keys(versions)
    .filter((key) => /^\d+$/.test(key))
    .map(Number)
    .toSorted((a, b) => a - b)
    .at(-1)!;

/**
 * A history of this many events of these entities, in the log's form; a stream mostly begins with a valid first
 * event.
 */
export function randomHistory(
  entities: readonly EntityEvents[],
  count: number,
  seed: number,
): RecordedEvent[] {
  const below = randomNumbers(seed);
  const versions = new Map<string, number>();
  const begun = new Set<string>();
  return Array.from({ length: count }, (_, at): RecordedEvent => {
    const { prefix, events } = entities[below(entities.length)]!;
    const n = below(FEW + 3);
    const id = idIn(prefix, n);
    const tenant = tenantOf(prefix, id, prefix === "loungeaccount-" ? n : id.length + n);
    const stream = `${tenant}\n${prefix}${id}`;
    const version = (versions.get(stream) ?? 0) + 1;
    versions.set(stream, version);
    const types = Object.keys(events);
    const begins = types[0]!;
    const later = begun.has(stream) && !AGAIN.has(prefix) && types.length > 1 ? types.slice(1) : types;
    const type = version === 1 && below(10) > 0 ? begins : later[below(later.length)]!;
    if (type === begins) begun.add(stream);
    const schema_version = newestOf(events[type] as Versions);
    const position = at + 1;
    const place = { prefix, id, n, position, type };
    const fitting = new Payloads(below, place).of((events[type] as Versions)[schema_version]!) as JsonObject;
    const payload =
      type === "Rolled" || type === "BetPlayed"
        ? drawnAnew(fitting, type === "Rolled" ? "dice" : "lounge-dice", position)
        : fitting;
    const actors = [`wallet:${wallet(below(3))}`, `key:${hex(below(3), 32)}`, "operator"];
    const commit: JsonObject = below(3) > 0 ? { commit: "x" } : {};
    return {
      ...{ log_id: 1, position, tenant, stream_id: prefix + id, version, type, schema_version, payload },
      event_id: `00000000-0000-7000-8000-${hex(position, 12)}`,
      recorded_at_us: (START + position * 3_600_000) * 1_000,
      meta: { actor: actors[below(3)]!, operation: `asked${below(2)}`, ...commit },
      ...{ prev_hash: Buffer.alloc(32), event_hash: Buffer.alloc(32, position), log_hash: Buffer.alloc(32) },
    };
  });
}
