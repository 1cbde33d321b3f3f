/** Fields that several documents have, each from the record alone. */
import { sxId } from "../identity/fields.ts";
import type { Classified } from "./classify.ts";
import { absent, type Field, known } from "./document.ts";
import type { Activity, AgentRecord } from "./record.ts";

/** What an agent's class rests on: its purpose, read by the lexicon. */
export type Purposed = { record: AgentRecord; classified: Classified | null };

const list = <Item>(items: readonly Item[], say: (item: Item) => string) => items.map(say).join("; ");

export const identity = ({ agent_id, sx_number, registered, passport_hash }: AgentRecord): Field[] => [
  known("Agent", agent_id, [registered.event]),
  known("Passport", sxId(sx_number), [registered.event]),
  known("Passport hash", passport_hash, [registered.event]),
  known("Registered", registered.at, [registered.event]),
];

const ERASED = "erased: describe the agent again (soul_describe)";

export function purpose({ description }: AgentRecord): Field {
  const name = "Intended purpose";
  if (description?.about === "erased") return absent(name, ERASED);
  const purpose = description?.about.purpose;
  return purpose
    ? known(name, purpose, [description!.event], { sealed: true })
    : absent(name, "describe the agent: soul_describe with purpose");
}

export function provider({ description }: AgentRecord): Field {
  const name = "Provider, as its owner says";
  if (description?.about === "erased") return absent(name, ERASED);
  const provider = description?.about.provider;
  return provider
    ? known(name, `${provider.organization}, ${provider.url}`, [description!.event], { sealed: true })
    : absent(name, "the natural or legal person who answers for it: soul_describe with provider");
}

export const version = ({ description }: AgentRecord): Field =>
  description?.version
    ? known("Version", description.version, [description.event])
    : absent("Version", "describe the agent: soul_describe with version");

export const services = ({ description }: AgentRecord): Field =>
  description && description.services.length > 0
    ? known(
        "Reached at",
        list(description.services, ({ name, endpoint }) => `${name} ${endpoint}`),
        [description.event],
      )
    : absent("Reached at", "describe the agent: soul_describe with services");

export const status = ({ status: { is, event } }: AgentRecord): Field => known("Status", is, [event]);

export const keys = ({ keys }: AgentRecord): Field =>
  keys.length > 0
    ? known(
        "Keys that speak for it",
        list(keys, ({ kid }) => kid),
        keys.map(({ event }) => event),
      )
    : absent("Keys that speak for it", "prove a key: soul_keys_add");

export const delegations = ({ delegations }: AgentRecord): Field =>
  delegations.length > 0
    ? known(
        "Who may act for it",
        list(
          delegations,
          ({ to, scopes, expires_at }) => `${sxId(to)} (${scopes.join(", ")}) until ${expires_at}`,
        ),
        delegations.map(({ event }) => event),
      )
    : absent("Who may act for it", "nobody has a delegation; name the persons who oversee the agent");

export const links = ({ links }: AgentRecord): Field =>
  links.length > 0
    ? known(
        "Linked to",
        list(links, ({ kind, ref }) => `${kind} ${ref}`),
        links.map(({ event }) => event),
      )
    : absent("Linked to", "no registry or domain is linked (soul_link)");

export const measures = ({ measures, registered }: AgentRecord): Field =>
  measures.length > 0
    ? known(
        "Measures taken against it here",
        list(measures, ({ type, at, reason }) => `${type} ${at}: ${reason}`),
        measures.map(({ event }) => event),
      )
    : absent(
        "Measures taken against it here",
        `none since ${registered.at}; supply those that were taken elsewhere`,
      );

export const attested = ({ attested }: AgentRecord): Field =>
  attested.length > 0
    ? known(
        "Attested by others",
        list(attested, ({ by, skill }) => `${skill} by ${sxId(by)}`),
        attested.map(({ event }) => event),
      )
    : absent("Attested by others", "no live attestation; supply tests and their results");

export const computation = ({ computation }: AgentRecord): Field =>
  computation
    ? known("Scores it stands in, by digest", computation.result_sha256, [computation.event])
    : absent("Scores it stands in, by digest", "none was computed yet");

/** Its score as computed at the end of each month: anybody computes it again, and finds the digest of all in the event. */
export function scores({ scores }: AgentRecord): Field {
  const name = "Its score, by the last computation of each month";
  return scores.some(({ points_micro }) => points_micro > 0)
    ? known(
        name,
        list(scores, ({ day, points_micro }) => `${day}: ${points_micro / 1e6} of 100`),
        scores.map(({ event }) => event),
      )
    : absent(name, "no computation has a score of it; supply measures of its performance");
}

const told = ({ type, count }: Activity) => `${type}: ${count}`;

const counted = (name: string, of: readonly Activity[], missing: string): Field =>
  of.length > 0
    ? known(
        name,
        list(of, told),
        of.flatMap(({ newest }) => newest),
      )
    : absent(name, missing);

/** Behind what is counted: that there is more. */
const cut = ({ is_cut }: AgentRecord) => (is_cut ? ", the first 20,000 events" : "");

export const activity = (record: AgentRecord): Field =>
  counted(
    `What its own keys and wallets did${cut(record)}`,
    record.activity,
    "nothing here; supply records of its use elsewhere",
  );

/** Months and operations that are written out; of more the newest. */
const MOST_CALLS = 40;

export function calls(record: AgentRecord): Field {
  const name = `Events by month and operation${cut(record)}`;
  const newest = record.calls.slice(-MOST_CALLS);
  const earlier = record.calls.length - newest.length;
  return newest.length > 0
    ? known(
        name,
        list(newest, ({ month, operation, count }) => `${month} ${operation}: ${count}`) +
          (earlier > 0 ? `; and ${earlier} earlier` : ""),
        newest.flatMap(({ newest }) => newest),
      )
    : absent(name, "nothing here; supply records of its use elsewhere");
}

/** States of data that are written out; of more the newest. */
const MOST_VINTAGES = 10;

/** What it can be asked for again: the data that its paid answers and reports rest on. */
export function vintages({ bought }: AgentRecord): Field {
  const name = "Vintages of the data that it bought";
  const newest = bought.slice(-MOST_VINTAGES);
  const earlier = bought.length - newest.length;
  return newest.length > 0
    ? known(
        name,
        list(newest, ({ vintage, count }) => `${vintage}: ${count}`) +
          (earlier > 0 ? `; and ${earlier} earlier` : ""),
        newest.flatMap(({ newest }) => newest),
      )
    : absent(name, "it bought no data here; supply what its input data are and where they come from");
}

/** Types of events after which something went otherwise than it should. */
const WENT_WRONG = /Slash|Disput|Refund|Refus|Reject|Failed|Expired|Cancelled|Reorged|Offline|DeadLettered/;

/** The kinds of them that may have to be looked at one by one, by what they are called. */
const KINDS = [
  ["Refusals and failures", /Refus|Reject|Failed|DeadLettered/],
  ["Disputes", /Disput/],
  ["Stakes that it lost", /Slash/],
  ["Refunds", /Refund/],
] as const;

const NONE_OF_IT = "no event here tells of one; supply reports from elsewhere";

/** Of its own events and of those of tasks that its nodes worked on. */
export const monitored = ({ activity, worked }: AgentRecord): Field[] =>
  KINDS.map(([name, kind]) =>
    counted(name, merged([...activity, ...worked].filter(({ type }) => kind.test(type))), NONE_OF_IT),
  );

/** A type once, whether it asked for the tasks or worked on them. */
function merged(all: readonly Activity[]): Activity[] {
  const found = new Map<string, Activity>();
  for (const one of all) {
    const known = found.get(one.type);
    found.set(
      one.type,
      known ? { ...one, count: known.count + one.count, newest: [...known.newest, ...one.newest] } : one,
    );
  }
  return [...found.values()];
}

export const incidents = ({ activity, worked }: AgentRecord): Field =>
  counted(
    "Events to look at for incidents",
    merged([...activity, ...worked].filter(({ type }) => WENT_WRONG.test(type))),
    "none of the agent's own events tells of one; supply reports from elsewhere",
  );

export const span = ({ registered, last }: AgentRecord): Field =>
  known("First and last record", `${registered.at} to ${last.at}`, [registered.event, last.event]);

export const checkpoint = ({ checkpoint, last }: AgentRecord): Field =>
  checkpoint
    ? known("Checkpoint over the last record", `size ${checkpoint.size}, root ${checkpoint.root}`, [
        checkpoint.event,
      ])
    : absent(
        "Checkpoint over the last record",
        `none covers position ${last.event.position} yet: ask again later`,
      );

export const anchor = ({ anchor }: AgentRecord): Field =>
  anchor
    ? known("Anchored on chain", `${anchor.network}, transaction ${anchor.transaction}`, [anchor.event])
    : absent("Anchored on chain", "no anchor covers the last record yet");

/** The class that the purpose has, with the words that it is read from. */
export function risk({ record: { description }, classified }: Purposed): Field {
  const name = "Class by its purpose";
  if (!classified || !description) return absent(name, "describe the agent: its purpose decides the class");
  const why = classified.reasoning.filter(({ sense }) => sense === "affirmed");
  const words = list(why, ({ provision, phrases }) => `${provision} by ${phrases.join(", ")}`);
  return known(
    name,
    words === "" ? classified.risk_level : `${classified.risk_level}: ${words}`,
    [description.event],
    {
      sealed: true,
    },
  );
}
