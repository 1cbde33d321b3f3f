/** How far the log is proven: a sentence, a bar and its numbers. */
import { el, facts, part, write } from "./dom.ts";
import { chainName, copied, count, counted, developmentChain, sealedText, time } from "./format.ts";
import type { Status } from "./wire.ts";

const STEPS = ["final", "mined", "signed", "unproven"] as const;
type Step = (typeof STEPS)[number];

/** The events that reached each step and no further; they add up to the log. */
function steps({ events, unproven_events, anchor, checkpoint }: Status): Record<Step, number> {
  const final = events - unproven_events;
  const anchored = Math.max(final, anchor?.size ?? 0);
  const signed = Math.max(anchored, checkpoint?.size ?? 0);
  return {
    final,
    mined: anchored - final,
    signed: signed - anchored,
    unproven: Math.max(0, events - signed),
  };
}

let last = "";

/** Shows a status; an equal one changes nothing. */
export function showStatus(status: Status): void {
  const text = JSON.stringify(status);
  if (text === last) return;
  last = text;
  const parts = steps(status);
  write(part("#claim"), claim(status, parts));
  part("#hero").classList.toggle("broken", status.contradiction !== null);
  for (const step of STEPS) {
    const segment = part(`#bar .${step}`);
    segment.style.flexGrow = String(parts[step]);
    segment.hidden = parts[step] === 0;
    write(part(`#legend .${step} b`), count(parts[step]));
  }
  part("#bar").setAttribute(
    "aria-label",
    STEPS.map((step) => `${MEANING[step]}: ${count(parts[step])}`).join(", "),
  );
  part("#bar").hidden = status.events === 0;
  part("#identity").replaceChildren(identity(status));
  part("#hero").removeAttribute("aria-busy");
}

const MEANING: Record<Step, string> = {
  final: "anchored for good",
  mined: "anchored, not yet final",
  signed: "signed, not yet anchored",
  unproven: "not yet proven",
};

function claim(
  { events, network, anchor, checkpoint, contradiction }: Status,
  { final, mined, signed }: Record<Step, number>,
): string {
  const chain = chainName(anchor?.network ?? network);
  if (contradiction) return `This log contradicts its signed heads: ${contradiction}.`;
  if (events === 0) return "The log is empty: it begins with the first command.";
  const forGood = developmentChain ? "" : ", for good";
  if (final === events) return `All ${counted(events, "event")} are anchored on ${chain}${forGood}.`;
  if (final > 0) return `${count(final)} of ${counted(events, "event")} are anchored on ${chain}${forGood}.`;
  if (mined > 0)
    return `${count(mined)} of ${counted(events, "event")} are anchored on ${chain}; the anchor is not final yet.`;
  if (checkpoint)
    return `${count(signed)} of ${counted(events, "event")} are signed; nothing is anchored yet.`;
  return `${counted(events, "event")}, chained by hashes; nothing is signed yet.`;
}

function identity({
  origin,
  key,
  head,
  checkpoint,
  anchor,
  contract,
  signer,
  witnesses,
  sealed,
  detail,
}: Status): HTMLElement {
  return facts({
    Origin: el("code", { class: "whole" }, origin),
    Head: copied(`${head.position}:${head.log_hash}`, "the head"),
    "Log key": copied(key, "the log's key"),
    Signed: checkpoint
      ? el(
          "span",
          {},
          time(checkpoint.signed_at),
          ...cosigned(checkpoint.cosigned_by, witnesses),
          detail ? `; ${detail}` : "",
        )
      : (detail ?? "not yet"),
    Anchored: anchor ? time(anchor.anchored_at) : "not yet",
    Contract: copied(contract, "the contract's address"),
    Signer: copied(signer, "the account that anchors"),
    "Personal data": sealed.values > 0 ? sealedText(sealed) : "none",
  });
}

/** How many of the requested witnesses have cosigned, with their names in the title. */
function cosigned(names: string[], witnesses: string[]): Node[] {
  if (witnesses.length === 0) return [];
  const text = `, cosigned by ${names.length} of ${witnesses.length}`;
  return [el("span", { class: "soft", title: names.join("\n") }, text)];
}
