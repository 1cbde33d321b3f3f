/** The four lists of the page: events, streams, checkpoints, anchors. */
import { el } from "./dom.ts";
import { filter } from "./filters.ts";
import {
  chainName,
  copied,
  count,
  counted,
  developmentChain,
  labelledCopy,
  streamName,
  time,
  transaction,
} from "./format.ts";
import type { Listing } from "./list.ts";
import { meaning } from "./meanings.ts";
import type { Anchor, Checkpoint, Event, Firmness, Stream } from "./wire.ts";

const cell = (name: string, ...children: (Node | string)[]) => el("div", { class: name }, ...children);

export const events: Listing<Event> = {
  path: "/log/events",
  field: "events",
  key: ({ event_id }) => event_id,
  row: (event) => [
    cell("number", count(event.position)),
    cell(
      "main",
      el("a", { class: "cover", href: `#events/${encodeURIComponent(event.event_id)}` }, event.type),
      meaning(event.type),
      streamName(event.stream),
    ),
    cell("when", time(event.recorded_at)),
    cell("side", copied(event.event_hash, "the event's hash")),
  ],
  filter,
  empty: "No such events, or none among the newest: load more, or choose another filter.",
};

export const streams: Listing<Stream> = {
  path: "/log/streams",
  field: "streams",
  key: ({ stream }) => stream,
  row: (one) => [
    cell("number", count(one.last_position)),
    cell(
      "main",
      streamName(one.stream),
      el("span", { class: "soft" }, `${one.public ? "public" : "private"} · last ${one.last_type}`),
    ),
    cell("when", time(one.last_at)),
    cell("side", el("span", { class: "soft" }, counted(one.events, "event"))),
  ],
  empty: "No streams yet: an entity's first event opens one.",
};

export const checkpoints: Listing<Checkpoint> = {
  path: "/log/checkpoints",
  field: "checkpoints",
  key: ({ size }) => String(size),
  row: (checkpoint) => [
    cell("number", count(checkpoint.size)),
    cell(
      "main",
      el("span", {}, `Signed tree head over ${counted(checkpoint.size, "event")}`),
      el(
        "span",
        { class: "soft" },
        checkpoint.cosigned_by.length === 0
          ? "no witness has cosigned it"
          : `cosigned by ${checkpoint.cosigned_by.join(", ")}`,
      ),
    ),
    cell("when", time(checkpoint.signed_at)),
    cell(
      "side",
      copied(checkpoint.root, "the root"),
      labelledCopy("note", checkpoint.note, "the signed note"),
    ),
  ],
  empty: "No checkpoint yet: the first is signed soon after the first events, where anchoring is on.",
};

const FIRMNESS: Record<Firmness, [label: string, meaning: string]> = {
  final: ["final", "The chain can no longer revert the anchor."],
  mined: ["mined", "The anchor is in a block that a reorg may still remove."],
  reorged: ["reverted", "The chain dropped the anchor's block; the anchor is sent again."],
};

/** An anchor's finality as a word, explained in its title. */
export function firmness(state: Firmness): HTMLElement {
  const [label, meaning] = FIRMNESS[state];
  return el("span", { class: `badge ${state}`, title: meaning }, label);
}

export const anchors: Listing<Anchor> = {
  path: "/log/anchors",
  field: "anchors",
  key: ({ transaction: hash, block_number }) => `${hash} ${block_number}`,
  row: (anchor) => [
    cell("number", count(anchor.size)),
    cell(
      "main",
      el(
        "span",
        {},
        `Block ${count(anchor.block_number)} of ${chainName(anchor.network)} `,
        firmness(anchor.firmness),
      ),
      el(
        "span",
        { class: "soft" },
        developmentChain ? "no public explorer knows this chain" : anchor.network,
      ),
    ),
    cell("when", time(anchor.anchored_at)),
    cell("side", transaction(anchor.network, anchor.transaction)),
  ],
  empty: "Nothing is anchored: either anchoring is off, or the first anchor is still to come.",
};
