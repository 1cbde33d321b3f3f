/** Fields that several documents share. Each is computed from the record only. */
import { sxId } from "../identity/fields.ts";
import type { Classification } from "./classify.ts";
import { type Field, missingField, shownField } from "./document.ts";
import type { Activity, AgentRecord } from "./record.ts";

/** `classified`: the class of the agent's purpose; null: it has none, or it was erased. */
export type ClassifiedAgent = { record: AgentRecord; classified: Classification | null };

const list = <Item>(items: readonly Item[], textOf: (item: Item) => string) => items.map(textOf).join("; ");

export const identity = ({ agent_id, sx_number, registered, passport_hash }: AgentRecord): Field[] => [
  shownField("Agent", agent_id, [registered.event]),
  shownField("Passport", sxId(sx_number), [registered.event]),
  shownField("Passport hash", passport_hash, [registered.event]),
  shownField("Registered", registered.at, [registered.event]),
];

const ERASED = "erased: describe the agent again (soul_describe)";

export function purpose({ description }: AgentRecord): Field {
  const name = "Intended purpose";
  if (description?.about === "erased") return missingField(name, ERASED);
  const purpose = description?.about.purpose;
  return purpose
    ? shownField(name, purpose, [description!.event], { sealed: true })
    : missingField(name, "describe the agent: soul_describe with purpose");
}

export function provider({ description }: AgentRecord): Field {
  const name = "Provider, as the agent's owner says";
  if (description?.about === "erased") return missingField(name, ERASED);
  const provider = description?.about.provider;
  return provider
    ? shownField(name, `${provider.organization}, ${provider.url}`, [description!.event], { sealed: true })
    : missingField(name, "the natural or legal person who answers for it: soul_describe with provider");
}

export const version = ({ description }: AgentRecord): Field =>
  description?.version
    ? shownField("Version", description.version, [description.event])
    : missingField("Version", "describe the agent: soul_describe with version");

export const services = ({ description }: AgentRecord): Field =>
  description && description.services.length > 0
    ? shownField(
        "Reached at",
        list(description.services, ({ name, endpoint }) => `${name} ${endpoint}`),
        [description.event],
      )
    : missingField("Reached at", "describe the agent: soul_describe with services");

export const status = ({ status: { is, event } }: AgentRecord): Field => shownField("Status", is, [event]);

export const keys = ({ keys }: AgentRecord): Field =>
  keys.length > 0
    ? shownField(
        "Keys of the agent",
        list(keys, ({ kid }) => kid),
        keys.map(({ event }) => event),
      )
    : missingField("Keys of the agent", "prove a key: soul_keys_add");

export const delegations = ({ delegations }: AgentRecord): Field =>
  delegations.length > 0
    ? shownField(
        "Its delegates",
        list(
          delegations,
          ({ to, scopes, expires_at }) => `${sxId(to)} (${scopes.join(", ")}) until ${expires_at}`,
        ),
        delegations.map(({ event }) => event),
      )
    : missingField("Its delegates", "nobody has a delegation; name the persons who oversee the agent");

export const links = ({ links }: AgentRecord): Field =>
  links.length > 0
    ? shownField(
        "Linked to",
        list(links, ({ kind, ref }) => `${kind} ${ref}`),
        links.map(({ event }) => event),
      )
    : missingField("Linked to", "no registry or domain is linked (soul_link)");

export const measures = ({ measures, registered }: AgentRecord): Field =>
  measures.length > 0
    ? shownField(
        "Measures taken against it here",
        list(measures, ({ type, at, reason }) => `${type} ${at}: ${reason}`),
        measures.map(({ event }) => event),
      )
    : missingField(
        "Measures taken against it here",
        `none since ${registered.at}; supply those that were taken elsewhere`,
      );

export const attested = ({ attested }: AgentRecord): Field =>
  attested.length > 0
    ? shownField(
        "Attested by others",
        list(attested, ({ by, skill }) => `${skill} by ${sxId(by)}`),
        attested.map(({ event }) => event),
      )
    : missingField("Attested by others", "no live attestation; supply tests and their results");

export const computation = ({ computation }: AgentRecord): Field =>
  computation
    ? shownField("Computations with a score of it, by digest", computation.result_sha256, [computation.event])
    : missingField("Computations with a score of it, by digest", "none was computed yet");

/** Its score at the end of each month. Anybody can compute it again; the event has the digest of all scores. */
export function scores({ scores }: AgentRecord): Field {
  const name = "Its score, by the last computation of each month";
  return scores.some(({ points_micro }) => points_micro > 0)
    ? shownField(
        name,
        list(scores, ({ day, points_micro }) => `${day}: ${points_micro / 1e6} of 100`),
        scores.map(({ event }) => event),
      )
    : missingField(name, "no computation has a score of it; supply measures of its performance");
}

const countText = ({ type, count }: Activity) => `${type}: ${count}`;

const countField = (name: string, of: readonly Activity[], missing: string): Field =>
  of.length > 0
    ? shownField(
        name,
        list(of, countText),
        of.flatMap(({ newest }) => newest),
      )
    : missingField(name, missing);

/** Names the limit of a count that reached it. */
const limitNote = ({ is_cut }: AgentRecord) => (is_cut ? ", the first 20,000 events" : "");

export const activity = (record: AgentRecord): Field =>
  countField(
    `Acts of its own keys and wallets${limitNote(record)}`,
    record.activity,
    "nothing here; supply records of its use elsewhere",
  );

/** The field lists at most so many months and operations, the newest ones. */
const MOST_CALLS = 40;

export function calls(record: AgentRecord): Field {
  const name = `Events by month and operation${limitNote(record)}`;
  const newest = record.calls.slice(-MOST_CALLS);
  const earlier = record.calls.length - newest.length;
  return newest.length > 0
    ? shownField(
        name,
        list(newest, ({ month, operation, count }) => `${month} ${operation}: ${count}`) +
          (earlier > 0 ? `; and ${earlier} earlier` : ""),
        newest.flatMap(({ newest }) => newest),
      )
    : missingField(name, "nothing here; supply records of its use elsewhere");
}

/** The field lists at most so many vintages, the newest ones. */
const MOST_VINTAGES = 10;

/** The vintages of the data behind its paid answers and reports. */
export function vintages({ vintageUses }: AgentRecord): Field {
  const name = "Vintages of the data that it bought";
  const newest = vintageUses.slice(-MOST_VINTAGES);
  const earlier = vintageUses.length - newest.length;
  return newest.length > 0
    ? shownField(
        name,
        list(newest, ({ vintage, count }) => `${vintage}: ${count}`) +
          (earlier > 0 ? `; and ${earlier} earlier` : ""),
        newest.flatMap(({ newest }) => newest),
      )
    : missingField(name, "it bought no data here; supply what its input data are and where they come from");
}

/** Types of events that record a failure. */
const FAILURE = /Slash|Disput|Refund|Refus|Reject|Failed|Expired|Cancelled|Reorged|Offline|DeadLettered/;

/** Kinds of failures, each a field of its own. */
const FAILURE_KINDS = [
  ["Refusals and failures", /Refus|Reject|Failed|DeadLettered/],
  ["Disputes", /Disput/],
  ["Stakes that the agent lost", /Slash/],
  ["Refunds", /Refund/],
] as const;

const NONE_OF_IT = "no event here shows one; supply reports from elsewhere";

/** Counts its own events and those of tasks that its nodes worked on. */
export const monitored = ({ activity, worked }: AgentRecord): Field[] =>
  FAILURE_KINDS.map(([name, kind]) =>
    countField(name, merged([...activity, ...worked].filter(({ type }) => kind.test(type))), NONE_OF_IT),
  );

/** Adds up the counts of a type, of tasks that it requested and of tasks that it worked on. */
function merged(all: readonly Activity[]): Activity[] {
  const byType = new Map<string, Activity>();
  for (const one of all) {
    const earlier = byType.get(one.type);
    byType.set(
      one.type,
      earlier
        ? { ...one, count: earlier.count + one.count, newest: [...earlier.newest, ...one.newest] }
        : one,
    );
  }
  return [...byType.values()];
}

export const incidents = ({ activity, worked }: AgentRecord): Field =>
  countField(
    "Events to look at for incidents",
    merged([...activity, ...worked].filter(({ type }) => FAILURE.test(type))),
    "none of the agent's own events shows one; supply reports from elsewhere",
  );

export const span = ({ registered, last }: AgentRecord): Field =>
  shownField("First and last record", `${registered.at} to ${last.at}`, [registered.event, last.event]);

export const checkpoint = ({ checkpoint, last }: AgentRecord): Field =>
  checkpoint
    ? shownField("Checkpoint over the last record", `size ${checkpoint.size}, root ${checkpoint.root}`, [
        checkpoint.event,
      ])
    : missingField(
        "Checkpoint over the last record",
        `none covers position ${last.event.position} yet: request the document again later`,
      );

export const anchor = ({ anchor }: AgentRecord): Field =>
  anchor
    ? shownField("Anchored on chain", `${anchor.network}, transaction ${anchor.transaction}`, [anchor.event])
    : missingField("Anchored on chain", "no anchor covers the last record yet");

/** The class of the purpose, with the words that decide it. */
export function risk({ record: { description }, classified }: ClassifiedAgent): Field {
  const name = "Class by its purpose";
  if (!classified || !description)
    return missingField(name, "describe the agent: its purpose decides the class");
  const why = classified.reasoning.filter(({ sense }) => sense === "affirmed");
  const words = list(why, ({ provision, phrases }) => `${provision} by ${phrases.join(", ")}`);
  return shownField(
    name,
    words === "" ? classified.risk_level : `${classified.risk_level}: ${words}`,
    [description.event],
    {
      sealed: true,
    },
  );
}
