/** The tab "Verify": a dropped pack or a named event, and the visitor's own knowledge. */
import { ask } from "./ask.ts";
import { openCheck } from "./check.ts";
import { part } from "./dom.ts";
import { typedKey } from "./filters.ts";
import type { Options } from "./verifier.js";
import type { Proof, Status } from "./wire.ts";
import type { Task } from "./worker.ts";

/** An invalid field; the message describes a valid one. */
class Unreadable extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

const field = (name: string) => part<HTMLInputElement | HTMLTextAreaElement>(`#held-${name}`);
const given = (name: string) => field(name).value.trim() || undefined;

/** The visitor's knowledge as options of the verifier; an unreadable field is marked and reported. */
function held(): Options {
  for (const marked of document.querySelectorAll("[aria-invalid]")) marked.removeAttribute("aria-invalid");
  try {
    const note = given("checkpoint");
    return {
      key: keyOf(given("key")),
      origin: given("origin"),
      heads: (given("heads") ?? "").split(/\s+/).filter(Boolean).map(headOf),
      // A note ends with a line break, which pasting may lose.
      checkpoints: note === undefined ? [] : [`${note}\n`],
      contract: addressOf("contract"),
      signer: addressOf("signer"),
    };
  } catch (error) {
    if (error instanceof Unreadable) {
      part<HTMLDetailsElement>("#held").open = true;
      field(error.field).setAttribute("aria-invalid", "true");
      field(error.field).focus();
    }
    throw error;
  }
}

function keyOf(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new Unreadable(
      "key",
      "The log key is a verifier key: name+8 hex digits+base64, as /log/key shows it.",
    );
  return text;
}

/** `position:log_hash`, or a cursor of the change feed, `v1.<epoch>.<position>.<beginning of log_hash>`. */
function headOf(text: string): { position: number; hash: string } {
  const [, position, hash] =
    /^(\d{1,16}):([0-9a-f]{8,64})$/.exec(text) ??
    /^v1\.[^.]+\.(\d{1,16})\.([0-9a-f]{8,64})$/.exec(text) ??
    [];
  if (position === undefined || hash === undefined)
    throw new Unreadable(
      "heads",
      `“${text}” is not a head: write position:log_hash with at least 8 hex digits, or a cursor.`,
    );
  return { position: Number(position), hash };
}

function addressOf(name: string): string | undefined {
  const text = given(name)?.toLowerCase();
  if (text !== undefined && !/^0x[0-9a-f]{40}$/.test(text))
    throw new Unreadable(name, `The ${name} is an address: 0x and 40 hex digits.`);
  return text;
}

export const proofPath = (event_id: string) => `/log/proof/${encodeURIComponent(event_id)}`;

export const proofOf = (event_id: string) => ask<Proof>(proofPath(event_id), {}, typedKey());

export async function proofTask(event_id: string): Promise<Task> {
  const options = held();
  return { proof: await proofOf(event_id), options };
}

/** The newest anchored event as an example; before the first anchor, the newest signed one. */
async function exampleTask(): Promise<Task> {
  const { checkpoint, anchor } = await ask<Status>("/log/status");
  if (!checkpoint) throw new Error("No event is signed yet: the first checkpoint follows within seconds.");
  const { events } = await ask<{ events: { event_id: string }[] }>("/log/events", {
    before: Math.min(anchor?.size ?? checkpoint.size, checkpoint.size) + 1,
    limit: 1,
  });
  const { event_id } = events[0]!;
  part<HTMLInputElement>("#event-id").value = event_id;
  return proofTask(event_id);
}

const packTask = async (pack: File): Promise<Task> => ({ pack, options: held() });

/** Connects the tab's forms; a pack may be dropped anywhere on the page. */
export function openVerify(show: () => void): void {
  const check = openCheck(part("#verify-result"));
  const input = part<HTMLInputElement>("#pack");
  const zone = part("#dropzone");
  const verifyPack = (pack: File | undefined) => {
    if (pack) check.run(`The pack ${pack.name}`, packTask(pack));
  };
  input.addEventListener("change", () => {
    verifyPack(input.files?.[0]);
    // Allows choosing the same file again after a change.
    input.value = "";
  });
  part<HTMLFormElement>("#event-form").addEventListener("submit", (submit) => {
    submit.preventDefault();
    const event_id = part<HTMLInputElement>("#event-id").value.trim();
    check.run("The event", proofTask(event_id));
  });
  part("#example").addEventListener("click", () => check.run("The event", exampleTask()));
  const lit = (on: boolean) => zone.classList.toggle("over", on);
  const files = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files");
  addEventListener("dragover", (drag) => {
    if (!files(drag)) return;
    drag.preventDefault();
    lit(true);
  });
  addEventListener("dragleave", () => lit(false));
  addEventListener("drop", (drop) => {
    if (!files(drop)) return;
    drop.preventDefault();
    lit(false);
    show();
    verifyPack(drop.dataTransfer?.files[0]);
  });
}
