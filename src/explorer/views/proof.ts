/** An event's proof, verified in the frame by the second verifier: no server takes part. */
import { QUESTIONS } from "../check.ts";
import { el, facts } from "../dom.ts";
import { shorten } from "../format.ts";
import { needHashing } from "../hashing.ts";
import { verifyProof } from "../proof.ts";
import type { Verdict } from "../verifier.js";
import type { Proof } from "../wire.ts";
import { openView } from "./host.ts";

function verdictOf(ok: boolean, verdicts: readonly Verdict[]): HTMLElement {
  const bad = verdicts.filter((one) => !one.ok).map(({ name }) => name);
  const text = ok
    ? "The proof holds: verified here, in this frame."
    : `The proof does not hold: ${bad.join(", ")} failed.`;
  return el("p", { class: `verdict ${ok ? "good" : "bad"}`, role: "status" }, el("strong", {}, text));
}

const stepOf = ({ name, ok, detail, reason }: Verdict): HTMLElement =>
  el(
    "li",
    { class: ok ? "good" : "bad" },
    el("strong", {}, QUESTIONS[name] ?? name),
    el("p", { class: "soft whole" }, reason ?? detail),
  );

/** A reader's own knowledge of the key is what makes a proof binding. A host's sandbox lets no form be sent. */
function keyField(judge: (key: string | undefined) => void): HTMLElement {
  const field = el("input", {
    id: "key",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "name+8 hex digits+base64",
  });
  const button = el("button", { type: "button" }, "Verify with it");
  const verify = () => judge(field.value.trim() || undefined);
  button.addEventListener("click", verify);
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") verify();
  });
  return el(
    "div",
    { class: "key" },
    el("label", { for: "key" }, "The log's key that you know"),
    el("span", { class: "field" }, field, button),
  );
}

openView("proof", async ({ structuredContent }) => {
  const proof = structuredContent as unknown as Proof;
  const { position, type, event_id, recorded_at } = proof.event;
  const found = el("section", { "aria-live": "polite" });
  const judge = async (key?: string) => {
    needHashing("verifier.js");
    const { ok, verdicts } = await verifyProof(proof, { key });
    found.replaceChildren(verdictOf(ok, verdicts), el("ol", { class: "steps" }, ...verdicts.map(stepOf)));
  };
  await judge();
  return [
    el("h1", { class: "claim" }, `${type}, event ${position.toLocaleString("en")}`),
    facts({
      Log: proof.origin,
      Event: el("code", { title: event_id }, shorten(event_id)),
      Recorded: recorded_at,
    }),
    found,
    keyField((key) => void judge(key)),
  ];
});
