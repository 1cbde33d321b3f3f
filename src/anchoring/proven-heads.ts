/**
 * Tree heads of our log that others have: the chain under our account, and witnesses with our own key's signature.
 * A contradicting head proves a second history. It is stored in the database, so that every process refuses
 * appends.
 */
import { MAIN_LOG } from "../../eventstore/types.ts";
import { compareChain } from "../chain/history.ts";
import type { App } from "../core/app.ts";
import { contractHead, headCall, logIdOf } from "../domain/anchoring/contract.ts";
import { type ClaimedHead, contradictionOf } from "./contradiction.ts";
import { hexOf } from "./hex.ts";
import { verifierKey } from "./note.ts";
import { openTree } from "./tile-store.ts";
import { newestNoteOf, parseWitnesses, type WitnessAddress } from "./witness-client.ts";

/** `source` names who shows it; `note` is the signed note, or null if the chain is the evidence. */
export type ProvenHead = ClaimedHead & { source: string; note: string | null };

/** The heads that contradicted the log when they were found. */
export async function provenHeads({ pool, store }: Pick<App, "pool" | "store">): Promise<ProvenHead[]> {
  const { origin } = await store.identity(MAIN_LOG);
  const { rows } = await pool.query<ProvenHead>(
    "select size, root, source, note from gate.proven_heads_v1 where origin = $1 order by size, root",
    [origin],
  );
  return rows.map((row) => ({ ...row, size: Number(row.size) }));
}

/** Why the log contradicts one of these heads, as a sentence that names the source; null if it contradicts none. */
export async function contradictionOfProven(app: App, heads: readonly ProvenHead[]): Promise<string | null> {
  for (const head of heads) {
    const reason = await contradictionOf(app, [head]);
    if (reason !== null) return `${reason}; ${head.source} shows it`;
  }
  return null;
}

/**
 * Compares a head with the log. A contradicting head is stored, this process stops appends, and the reason is
 * returned.
 */
export async function judgeHead(app: App, head: ProvenHead): Promise<string | null> {
  await openTree(app.pool, MAIN_LOG).grow();
  const reason = await contradictionOfProven(app, [head]);
  if (reason === null) {
    if (head.note === null) await retractChain(app);
    return null;
  }
  const { origin } = await app.store.identity(MAIN_LOG);
  const { size, root, source, note } = head;
  await app.pool.query(
    `insert into gate.proven_heads_v1 (origin, size, root, source, note) values ($1, $2, $3, $4, $5)
      on conflict do nothing`,
    [origin, size, root, source, note],
  );
  app.accepting.suspect();
  return reason;
}

/** The chain keeps a single head, so an endpoint's contradiction counts only while it shows it. */
export async function retractChain(app: App): Promise<void> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const { rowCount } = await app.pool.query(
    "delete from gate.proven_heads_v1 where origin = $1 and note is null",
    [origin],
  );
  if (rowCount) app.accepting.suspect();
}

/** The head that a source shows now, `null` if it has none of our log, or why it gives no answer. */
type ShownHead = { head: ProvenHead | null } | { silent: string };

async function headOfWitness(app: App, witness: WitnessAddress, signal: AbortSignal): Promise<ShownHead> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const log = verifierKey(origin, "ed25519", app.signer.public_key);
  const source = `the witness ${witness.key.name}`;
  const answer = await newestNoteOf(witness, log, signal);
  if (answer.kind === "unusable") return { silent: `${source}: ${answer.reason}` };
  if (answer.kind === "none") return { head: null };
  const { size, root, note } = answer;
  return { head: { size, root: hexOf(root), source, note } };
}

/** The head of our account on the chain. */
async function headOfChain(app: App): Promise<ShownHead> {
  const { chain } = app;
  try {
    const compared = await compareChain(app);
    if (compared.status !== "same") return { silent: `the chain: ${compared.reason}` };
    const { origin } = await app.store.identity(MAIN_LOG);
    const [answer] = await chain.read([headCall(chain.sender, logIdOf(origin))], { mined: true });
    if (answer!.data === "0x") return { silent: "the chain: the anchoring contract is not on it" };
    const head = contractHead(answer!);
    if (!head) return { head: null };
    const source = `the chain, under our account ${chain.sender},`;
    return { head: { size: Number(head.size), root: head.root, source, note: null } };
  } catch (error) {
    return { silent: `the chain: ${(error as Error).message}` };
  }
}

type HeadVerdict = { contradiction: string | null } | { silent: string };

async function judge(app: App, shown: ShownHead): Promise<HeadVerdict> {
  if ("silent" in shown) return shown;
  const { head } = shown;
  if (!head) return { contradiction: null };
  const judged = judgeHead(app, head).then((contradiction) => ({ contradiction }));
  // The chain can be queried again; a note must be compared with the log before anything continues.
  return head.note === null
    ? judged.catch((error: Error) => ({ silent: `the chain: ${error.message}` }))
    : judged;
}

/** Checks the newest note of one witness: `null` if it does not contradict the log. */
export const judgeWitness = async (
  app: App,
  witness: WitnessAddress,
  signal: AbortSignal,
): Promise<HeadVerdict> => judge(app, await headOfWitness(app, witness, signal));

/** `reached`: how many of the chain and the witnesses answered; `silent`: why the others did not. */
export type StartCheck = { reached: number; silent: string[]; contradiction: string | null };

/** Queries the chain and all configured witnesses at once, each for at most `deadline_ms`. */
function askAll(app: App, deadline_ms: number): Promise<ShownHead[]> {
  const named = app.settings.anchoring?.witnesses.map(({ url, key }) => `${url}#${key}`) ?? [];
  const late = new Promise<ShownHead>((done) => {
    setTimeout(() => done({ silent: "the chain: it does not answer in time" }), deadline_ms).unref();
  });
  return Promise.all([
    ...(app.opens_chain ? [Promise.race([headOfChain(app), late])] : []),
    ...parseWitnesses(named.join(",")).map((witness) =>
      headOfWitness(app, witness, AbortSignal.timeout(deadline_ms)),
    ),
  ]);
}

export async function headsOfOthers(app: App, deadline_ms: number): Promise<ProvenHead[]> {
  const shown = await askAll(app, deadline_ms);
  return shown.flatMap((one) => ("silent" in one ? [] : (one.head ?? [])));
}

/** Checks every answer. */
export async function askOthers(app: App, deadline_ms: number): Promise<StartCheck> {
  const shown = await askAll(app, deadline_ms);
  const answers = await Promise.all(shown.map((one) => judge(app, one)));
  const silent = answers.flatMap((answer) => ("silent" in answer ? [answer.silent] : []));
  const found = answers.flatMap((answer) => ("silent" in answer ? [] : (answer.contradiction ?? [])));
  return { reached: answers.length - silent.length, silent, contradiction: found[0] ?? null };
}
