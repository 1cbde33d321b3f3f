/** One event with its proof: what it says, and how it leads to a signature and to the chain. */
import { ask, reasonOf } from "./ask.ts";
import { openCheck } from "./check.ts";
import { el, facts, part, write } from "./dom.ts";
import { chainName, copied, count, counted, labelledCopy, streamName, time, transaction } from "./format.ts";
import { firmness } from "./sections.ts";
import { proofTask } from "./verify.ts";
import type { Proof } from "./wire.ts";

let shown = "";

/** Shows an event in its view; one that is shown already stays, with what was established of it. */
export async function showEvent(event_id: string): Promise<void> {
  if (shown === event_id) return;
  shown = event_id;
  const place = part("#event");
  write(part("#view-event h2"), "Event");
  place.replaceChildren(el("p", { class: "told", role: "status" }, "Loading…"));
  try {
    const proof = await ask<Proof>(`/log/proof/${encodeURIComponent(event_id)}`);
    if (shown !== event_id) return;
    write(part("#view-event h2"), proof.event.type);
    place.replaceChildren(...article(event_id, proof));
  } catch (error) {
    if (shown !== event_id) return;
    shown = "";
    place.replaceChildren(el("p", { class: "told", role: "alert" }, reasonOf(error)));
  }
}

function article(event_id: string, proof: Proof): Node[] {
  const { event } = proof;
  const verify = el("button", { type: "button", class: "primary" }, "Verify");
  const result = el("div", { class: "result" });
  const check = openCheck(result);
  verify.addEventListener("click", () => check.run("The event", proofTask(event_id)));
  return [
    facts({
      Position: count(event.position),
      Recorded: time(event.recorded_at),
      Stream: streamName(event.stream),
      Version: event.version === undefined ? undefined : count(event.version),
      "Event id": el("code", { class: "whole" }, event.event_id),
      "Event hash": copied(event.event_hash, "the event's hash"),
      "Hash before it in its stream":
        event.prev_hash === undefined ? undefined : copied(event.prev_hash, "the hash"),
      "Log hash": copied(event.log_hash, "the log's hash"),
    }),
    ...stored("Payload", event.payload),
    ...stored("Metadata", event.meta),
    el("h4", {}, "Proof"),
    way(proof),
    ...(proof.pending ? [el("p", { class: "pending" }, proof.pending.detail)] : []),
    el("div", { class: "actions" }, verify, ...extra(event_id, proof)),
    result,
  ];
}

/** A stored text; laid out where it is JSON, as it is where not. */
function stored(name: string, text: string | undefined): Node[] {
  if (text === undefined) return [];
  return [
    el("h4", {}, name),
    el("pre", { role: "region", tabindex: "0", "aria-label": name }, laidOut(text)),
  ];
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** The steps from the event's hash to the chain, as far as they go today. */
function way({ event, inclusion, checkpoint, anchor }: Proof): HTMLElement {
  const step = (there: boolean, name: string, ...text: (Node | string)[]) =>
    el("li", { class: there ? "there" : "" }, el("strong", {}, name), el("div", {}, ...text));
  return el(
    "ol",
    { class: "way" },
    step(true, "Event", "Its hash is leaf ", count(event.position - 1), " of the log's tree."),
    inclusion
      ? step(
          true,
          "Tree",
          `${counted(inclusion.proof.length, "hash").replace(
            /hashs$/,
            "hashes",
          )} lead from it to the root of ${counted(inclusion.size, "event")}.`,
        )
      : step(false, "Tree", "In no signed tree yet."),
    checkpoint
      ? step(
          true,
          "Signature",
          "The log's key signed that root. ",
          labelledCopy("note", checkpoint, "the signed note"),
        )
      : step(false, "Signature", "Not signed yet."),
    anchor
      ? step(
          true,
          "Chain",
          `A contract on ${chainName(anchor.network)} keeps the root of ${counted(anchor.size, "event")}: `,
          transaction(anchor.network, anchor.transaction_hash),
          " ",
          firmness(anchor.firmness),
        )
      : step(false, "Chain", "Not anchored yet."),
  );
}

const extra = (event_id: string, { tlog_proof }: Proof): Node[] => [
  el("a", { href: `/log/proof/${encodeURIComponent(event_id)}` }, "Proof as JSON"),
  ...(tlog_proof ? [labelledCopy("C2SP tlog-proof", tlog_proof, "the tlog-proof")] : []),
];
