/** The worker's identity: an agent with a passport, its API key, and a signing key proven in the passport. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../../eventstore/files/folder.ts";
import { openSigner } from "../adapters/signing-key.ts";
import type { Signer } from "../core/model/ports/signer.ts";
import { refuse } from "../core/model/refusal.ts";
import { didOf } from "../domain/identity/public-key.ts";
import { CallRefused, type Calls } from "./calls.ts";

/** `agent_id`, `api_key`: from the settings, otherwise from the folder. */
export type AgentChoice = { dir: string; agent_id: string | undefined; api_key: string | undefined };

export type WorkingAgent = { agent_id: string; signer: Signer; is_new: boolean };

const SIGNING_KEY = "signing-key.pem";
const AGENT = "agent.json";

const saved = z.object({ url: z.string(), agent_id: z.string(), api_key: z.string() });
type SavedAgent = z.infer<typeof saved>;

const challenged = z.looseObject({ challenge: z.string() });
const registered = z.looseObject({ api_key: z.string(), is_new: z.boolean() });

/**
 * Opens the folder's agent. Without an API key it registers one and proves its key in the same call; after a crash
 * in between, the next start gets another API key by the same signing key.
 */
export async function openAgent(calls: Calls, wanted: AgentChoice): Promise<WorkingAgent> {
  await makeFolder(wanted.dir);
  const signer = await openSigner(join(wanted.dir, SIGNING_KEY));
  const known = await savedIn(wanted.dir);
  const agent_id = wanted.agent_id ?? known?.agent_id;
  if (agent_id === undefined)
    return refuse(
      "invalid",
      "name the worker's agent by --agent; the first start registers the agent under this name",
    );
  const isKnown =
    known !== undefined && known.url === calls.url && known.agent_id.toLowerCase() === agent_id.toLowerCase();
  const api_key = wanted.api_key ?? (isKnown ? known.api_key : undefined);
  const proof = await signedChallenge(calls, signer, agent_id);
  if (api_key !== undefined) {
    calls.identify(api_key);
    await calls.ask(`/soul/${encodeURIComponent(agent_id)}/keys`, z.unknown(), { body: proof });
    return { agent_id, signer, is_new: false };
  }
  const body = { agent_id, issue_api_key: true, ...proof };
  const agent = await calls.ask("/soul/register", registered, { body }).catch((error: unknown) => {
    if (error instanceof CallRefused && error.status === 403)
      refuse(
        "forbidden",
        `${agent_id} is registered, but without this folder's key: give the agent's API key by --key, or another name by --agent`,
      );
    if (error instanceof CallRefused && error.kind === "key-in-use")
      refuse(
        "conflict",
        `${wanted.dir} has the key of ${known?.agent_id ?? "another agent"}: name another folder by --dir for ${agent_id}, or omit --agent (${error.message})`,
      );
    throw error;
  });
  await save(wanted.dir, { url: calls.url, agent_id, api_key: agent.api_key });
  calls.identify(agent.api_key);
  return { agent_id, signer, is_new: agent.is_new };
}

/** Signs the service's challenge with the key that it names. */
async function signedChallenge(calls: Calls, signer: Signer, agent_id: string) {
  const key = didOf({ kind: "ed25519", public: signer.public_key.x });
  const body = { agent_id, key, purpose: "prove" };
  const { challenge } = await calls.ask("/soul/challenge", challenged, { body });
  return { challenge, signature: compactJws(signer, challenge) };
}

/** A compact JWS (EdDSA) whose payload is the text, byte for byte. */
export function compactJws({ sign }: Pick<Signer, "sign">, text: string): string {
  const part = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64url");
  const signed = `${part(JSON.stringify({ alg: "EdDSA", typ: "JWT" }))}.${part(text)}`;
  return `${signed}.${part(sign(Buffer.from(signed)))}`;
}

async function savedIn(dir: string): Promise<SavedAgent | undefined> {
  const text = await readFile(join(dir, AGENT), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return saved.parse(JSON.parse(text));
  } catch {
    return refuse("invalid", `--dir: ${join(dir, AGENT)} was not written by a worker; move it away`);
  }
}

async function save(dir: string, agent: SavedAgent): Promise<void> {
  const aside = join(dir, `${AGENT}.${process.pid}`);
  await writeFile(aside, `${JSON.stringify(agent)}\n`, { mode: 0o600, flush: true });
  await rename(aside, join(dir, AGENT));
}
