/** The page at /rng: a proof that was pasted, or asked for by the roll's id, is checked by the verifier. */
import { el, facts, part } from "./dom.ts";
import { faultOf } from "./roll-verifier.js";

/** What rng_verify answers, as far as it is looked at here. */
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
  chain_head: string | null;
};

const result = part("#result");
const typed = (selector: string) => part<HTMLInputElement | HTMLTextAreaElement>(selector).value.trim();

/** Why nothing could be checked, in words for whoever asked. */
class Unreadable extends Error {}

function proofIn(text: string): RollProof {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Unreadable("That is no JSON: paste the whole answer of rng/verify.");
  }
  const proof = ((read as { data?: unknown })?.data ?? read) as Partial<RollProof>;
  if (typeof proof?.roll !== "object" || !("seed" in proof) || typeof proof.tenant !== "string")
    throw new Unreadable("That is no proof of a roll: it has roll, tenant, seed and chain_head.");
  return proof as RollProof;
}

async function asked(rollId: string, key: string): Promise<string> {
  const response = await fetch("/v1/agent/rng/verify", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify({ roll_id: rollId }),
  });
  const text = await response.text();
  if (response.ok) return text;
  const { detail } = JSON.parse(text) as { detail?: string };
  throw new Unreadable(detail ?? `The service answered ${response.status}.`);
}

async function verify(proof: RollProof): Promise<HTMLElement[]> {
  const { roll, tenant, seed, chain_head } = proof;
  const about = facts({
    Game: `${roll.game_type} ${JSON.stringify(roll.params)}`,
    Result: JSON.stringify(roll.result),
    "Client seed": roll.client_seed,
    Nonce: String(roll.nonce),
    Tenant: tenant,
    "Seed hash": roll.seed_hash,
    Seed: seed ?? "not revealed yet",
    "Head of its chain": chain_head ?? undefined,
  });
  if (seed === null || chain_head === null)
    return [verdict("", "The seed of this roll is still in use. Ask again when it is revealed."), about];
  const fault = await faultOf({ roll, tenant, seed, chain_head });
  return [
    fault === undefined
      ? verdict(
          "good",
          "Drawn as it should be: the seed is the one that was published, and it makes this result.",
        )
      : verdict("bad", `Not as it should be: ${fault}.`),
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
        const told =
          error instanceof Unreadable
            ? error.message
            : "The proof cannot be read, or the service cannot be reached.";
        result.replaceChildren(verdict("bad", told));
      }
    })();
  });
}

part("#example").addEventListener("click", async () => {
  const example = await fetch("/rng/example.json").then(
    (response) => response.text(),
    () => "",
  );
  part<HTMLTextAreaElement>("#proof").value = example;
  part<HTMLFormElement>("#by-proof").requestSubmit();
});
onSubmit("#by-proof", () => typed("#proof"));
onSubmit("#by-id", () => asked(typed("#roll-id"), typed("#api-key")));
