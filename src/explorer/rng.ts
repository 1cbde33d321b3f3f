/** The page at /rng: draws a number; the verifier checks a proof that was pasted, or requested by the roll's id. */
import { reached, reasonOf, textIn } from "./ask.ts";
import { type Credential, call } from "./calling.ts";
import { el, facts, part } from "./dom.ts";
import { counted, developmentChain, shorten } from "./format.ts";
import { needHashing } from "./hashing.ts";
import { faultOf } from "./roll-verifier.js";

/** The fields in use of rng_verify's answer. */
type RollProof = {
  roll: {
    game_type: string;
    params: object;
    client_seed: string;
    nonce: number;
    result: object;
    seed_hash: string;
    chain_index: number;
  };
  tenant: string;
  seed: string | null;
  voided_at?: string | null;
  chain_head: string | null;
};

const result = part("#result");
const typed = (selector: string) => part<HTMLInputElement | HTMLTextAreaElement>(selector).value.trim();

function proofIn(text: string): RollProof {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error("That is not JSON: paste the whole answer of rng/verify.");
  }
  const proof = ((read as { data?: unknown })?.data ?? read) as Partial<RollProof>;
  if (
    typeof proof?.roll !== "object" ||
    proof.roll === null ||
    !("seed" in proof) ||
    typeof proof.tenant !== "string"
  )
    throw new Error("That is not proof of a roll: a proof has roll, tenant, seed and chain_head.");
  return proof as RollProof;
}

async function verification(roll_id: string, way: Credential): Promise<string> {
  const question = { method: "POST", url: "/v1/agent/rng/verify", body: JSON.stringify({ roll_id }) };
  const { response } = await call(question, way, "application/json");
  const text = await textIn(response);
  if (response.ok) return text;
  const { detail } = JSON.parse(text) as { detail?: string };
  throw new Error(detail ?? `The service answered ${response.status}.`);
}

async function verify(proof: RollProof): Promise<HTMLElement[]> {
  const { roll, tenant, seed, chain_head, voided_at } = proof;
  const about = facts({
    Game: `${roll.game_type} ${JSON.stringify(roll.params)}`,
    Result: JSON.stringify(roll.result),
    "Client seed": roll.client_seed,
    Nonce: String(roll.nonce),
    Tenant: tenant,
    "Seed hash": el("code", {}, roll.seed_hash),
    Seed: seed === null ? "not revealed yet" : el("code", {}, seed),
    "Head of its chain": chain_head === null ? undefined : el("code", {}, chain_head),
  });
  if (voided_at)
    return [
      verdict("bad", `Void since ${voided_at}: its seed is lost, and nobody can draw it again.`),
      about,
    ];
  if (seed === null || chain_head === null)
    return [verdict("", "The seed of this roll is still in use. Try again when it is revealed."), about];
  needHashing("roll-verifier.js");
  const fault = await faultOf({ roll, tenant, seed, chain_head }).catch(() => {
    throw new Error(
      "This is not a complete proof of a roll: paste the whole answer of rng/verify, unchanged.",
    );
  });
  return [
    fault === undefined
      ? verdict("good", "The roll is correct: its seed is the published one and makes this result.")
      : verdict("bad", `The roll is wrong: ${fault}.`),
    about,
  ];
}

const verdict = (kind: string, text: string) => el("p", { class: `verdict ${kind}`.trim() }, text);

function onSubmit(form: string, proofText: () => Promise<string> | string): void {
  part(form).addEventListener("submit", (event) => {
    event.preventDefault();
    void (async () => {
      try {
        result.replaceChildren(...(await verify(proofIn(await proofText()))));
      } catch (error) {
        result.replaceChildren(verdict("bad", reasonOf(error)));
      }
    })();
  });
}

/** The shown fields of rng_roll's answer. */
type Roll = { roll_id: string; result: object; client_seed: string; nonce: number; seed_hash: string };

const GOT = { dice: "total", coin: "side", range: "value", float: "value", shuffle: "items" } as const;

const given = document.body.dataset.key;

/** The typed key, otherwise the sandbox's, otherwise worthless money of the development chain. */
function wayIn(field: string): Credential {
  const key = typed(field) || given;
  if (key) return { by: "key", key };
  return developmentChain ? { by: "wallet" } : { by: "none" };
}

/** Replaces used words by new ones that the service cannot foresee. */
function suggestWords(): void {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  const words = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  part<HTMLInputElement>("#client-seed").value = words;
}

async function drawOne(): Promise<HTMLElement[]> {
  const { value: game_type, selectedOptions } = part<HTMLSelectElement>("#game");
  const params = JSON.parse(selectedOptions[0]?.dataset.params ?? "{}") as object;
  const body = JSON.stringify({ game_type, params, client_seed: typed("#client-seed") });
  const question = { method: "POST", url: "/v1/agent/rng/roll", body };
  const { response } = await call(question, wayIn("#draw-key"), "application/json");
  const answer = JSON.parse(await textIn(response)) as { data?: Roll; detail?: string };
  if (response.status === 402)
    throw new Error("A draw costs 0.005 USDC or needs an API key: “Every way to draw” shows both.");
  if (!answer.data) throw new Error(answer.detail ?? `The service answered ${response.status}.`);
  const { roll_id, result: drawn, client_seed, nonce, seed_hash } = answer.data;
  part<HTMLInputElement>("#roll-id").value = roll_id;
  const got = (drawn as Record<string, unknown>)[GOT[game_type as keyof typeof GOT]];
  const event = response.headers.get("Event-Id");
  return [
    el("p", { class: "drawn-value" }, Array.isArray(got) ? got.join(" ") : String(got)),
    facts({
      "Your words": client_seed,
      "Drawn with these words before": counted(nonce, "number"),
      "Seed, as its hash": el("code", { title: seed_hash }, shorten(seed_hash)),
      "Roll id": el("code", { class: "whole" }, roll_id),
      "In the log": event === null ? undefined : el("a", { href: `/log#events/${event}` }, shorten(event)),
    }),
    el(
      "p",
      { class: "soft" },
      "The seed is secret while numbers are drawn from it, and is then revealed. The id is already filled in below.",
    ),
  ];
}

if (given !== undefined || developmentChain) {
  part(".draw-key").hidden = true;
  const key = part<HTMLInputElement>("#api-key");
  key.required = false;
  key.placeholder = given === undefined ? "without one a demo wallet pays" : "empty: the sandbox's";
}
suggestWords();
part("#draw").addEventListener("submit", (event) => {
  event.preventDefault();
  void (async () => {
    const button = part<HTMLButtonElement>("#draw button");
    const place = part("#drawn");
    button.disabled = true;
    try {
      place.replaceChildren(...(await drawOne()));
      suggestWords();
    } catch (error) {
      place.replaceChildren(verdict("bad", reasonOf(error)));
    } finally {
      button.disabled = false;
    }
  })();
});
part("#example").addEventListener("click", async () => {
  try {
    part<HTMLTextAreaElement>("#proof").value = await textIn(await reached("/rng/example.json"));
    part<HTMLFormElement>("#by-proof").requestSubmit();
  } catch (error) {
    result.replaceChildren(verdict("bad", reasonOf(error)));
  }
});
onSubmit("#by-proof", () => typed("#proof"));
onSubmit("#by-id", () => verification(typed("#roll-id"), wayIn("#api-key")));
