/** One event and its proof: its content, and the path to a signature and the chain. */
import { reasonOf, Unanswered } from "./ask.ts";
import { openCheck } from "./check.ts";
import { el, facts, part, write } from "./dom.ts";
import { typedKey } from "./filters.ts";
import { chainName, copied, count, counted, labelledCopy, streamName, time, transaction } from "./format.ts";
import { meaning } from "./meanings.ts";
import { firmness } from "./sections.ts";
import { proofOf, proofPath, proofTask } from "./verify.ts";
import type { Proof } from "./wire.ts";

/** The event that is shown or requested, and the key that it was requested with. */
let current = "";
let isShown = false;
/** The event's proof so far; it grows with the log. */
const proven = el("div");

/** Shows an event, or updates the shown one's proof; returns true on success. */
export async function showEvent(event_id: string): Promise<boolean> {
  const place = part("#event");
  const wanted = `${event_id} ${typedKey() ?? ""}`;
  if (current !== wanted) {
    current = wanted;
    isShown = false;
    title("Event");
    place.replaceChildren(el("p", { class: "message", role: "status" }, "Loading…"));
  }
  try {
    const proof = await proofOf(event_id);
    if (current !== wanted) return true;
    title(proof.event.type);
    proven.replaceChildren(...way(proof));
    if (!isShown) place.replaceChildren(...article(event_id, proof));
    isShown = true;
    return true;
  } catch (error) {
    if (current !== wanted) return true;
    if (!isShown) place.replaceChildren(el("p", { class: "message", role: "alert" }, reasonOf(error)));
    return error instanceof Unanswered && error.missing;
  }
}

function title(text: string): void {
  write(part("#view-event h2"), text);
  document.title = `${text} · The log`;
}

function article(event_id: string, proof: Proof): Node[] {
  const { event } = proof;
  const verify = el("button", { type: "button", class: "primary" }, "Verify");
  const result = el("div", { class: "result" });
  const check = openCheck(result);
  verify.addEventListener("click", () => check.run("The event", proofTask(event_id)));
  return [
    el("p", { class: "lead" }, meaning(event.type)),
    facts({
      Position: count(event.position),
      Recorded: time(event.recorded_at),
      Stream: streamName(event.stream),
      Version: event.version === undefined ? undefined : count(event.version),
      "Event id": el("code", { class: "whole" }, event.event_id),
      "Event hash": copied(event.event_hash, "the event's hash"),
      "Hash of the stream's event before":
        event.prev_hash === undefined ? undefined : copied(event.prev_hash, "the hash"),
      "Log hash": copied(event.log_hash, "the log's hash"),
    }),
    ...stored("Payload", event.payload),
    ...stored("Metadata", event.meta),
    ...(event.payload === undefined
      ? [
          el(
            "p",
            { class: "pending" },
            "Only the owner can read the content: enter your API key in the list of events to see your own. The content's hash is in the log, and is proven here.",
          ),
        ]
      : []),
    el("h4", {}, "Proof"),
    proven,
    el("div", { class: "actions" }, verify, el("a", { href: proofPath(event_id) }, "Proof as JSON")),
    result,
  ];
}

/** A stored text, formatted if it is JSON. */
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

/** The steps from the event's hash to the chain, as far as they exist today. */
function way({ event, inclusion, checkpoint, tlog_proof, anchor, pending }: Proof): Node[] {
  const step = (there: boolean, name: string, ...text: (Node | string)[]) =>
    el("li", { class: there ? "there" : "" }, el("strong", {}, name), el("div", {}, ...text));
  const steps = el(
    "ol",
    { class: "way" },
    step(true, "Event", `The event's hash is leaf ${count(event.position - 1)} of the log's tree.`),
    inclusion
      ? step(
          true,
          "Tree",
          `${counted(inclusion.proof.length, "hash", "hashes")} lead from it to the root over ${counted(inclusion.size, "event")}. `,
          ...(tlog_proof ? [labelledCopy("tlog-proof", tlog_proof, "the proof in C2SP's form")] : []),
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
          `A contract on ${chainName(anchor.network)} keeps the root over ${counted(anchor.size, "event")}: `,
          transaction(anchor.network, anchor.transaction_hash),
          " ",
          firmness(anchor.firmness),
        )
      : step(false, "Chain", "Not anchored yet."),
  );
  return pending ? [steps, el("p", { class: "pending" }, `${pending.detail}.`)] : [steps];
}
