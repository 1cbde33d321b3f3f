/**
 * Tree heads of our log that others hold: the chain under our account, and witnesses with our own key's signature. One that
 * contradicts the log is proof of a second history. It is kept in the database, so that the gate closes in every process.
 */
import { MAIN_LOG } from "../../eventstore/types.ts";
import { compareChain } from "../chain/history.ts";
import type { App } from "../core/app.ts";
import { contractHead, headCall, logIdOf } from "../domain/anchoring/contract.ts";
import { contradictionOf, type SaidHead } from "./contradiction.ts";
import { hexOf } from "./hex.ts";
import { verifierKey } from "./note.ts";
import { openTree } from "./tile-store.ts";
import { newestNoteOf, parseWitnesses, type WitnessAddress } from "./witness-client.ts";

/** `source` names who shows it; `note` is the signed note, null where the chain is the evidence. */
export type ProvenHead = SaidHead & { source: string; note: string | null };

/** The heads that contradicted the log when they were seen. */
export async function provenHeads({ pool, store }: Pick<App, "pool" | "store">): Promise<ProvenHead[]> {
  const { origin } = await store.identity(MAIN_LOG);
  const { rows } = await pool.query<ProvenHead>(
    "select size, root, source, note from gate.proven_heads_v1 where origin = $1 order by size, root",
    [origin],
  );
  return rows.map((row) => ({ ...row, size: Number(row.size) }));
}

/** Why the log contradicts one of these heads, as a sentence that names who shows it; null where it contradicts none. */
export async function contradictionOfProven(app: App, heads: readonly ProvenHead[]): Promise<string | null> {
  for (const head of heads) {
    const reason = await contradictionOf(app, [head]);
    if (reason !== null) return `${reason}; ${head.source} shows it`;
  }
  return null;
}

/** Holds a head against the log. Where it contradicts the log, it is kept, this process's gate closes, and the reason is answered. */
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

/** An endpoint is believed no longer than it says so: the chain keeps one head, and shows no contradiction now. */
export async function retractChain(app: App): Promise<void> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const { rowCount } = await app.pool.query(
    "delete from gate.proven_heads_v1 where origin = $1 and note is null",
    [origin],
  );
  if (rowCount) app.accepting.suspect();
}

/** The head that somebody shows now, `null` where it has none of our log; or why it does not say. */
type Shown = { head: ProvenHead | null } | { silent: string };

/** The newest note of one witness. */
async function headOfWitness(app: App, witness: WitnessAddress, signal: AbortSignal): Promise<Shown> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const log = verifierKey(origin, "ed25519", app.signer.public_key);
  const source = `the witness ${witness.key.name}`;
  const answer = await newestNoteOf(witness, log, signal);
  if (answer.kind === "unusable") return { silent: `${source}: ${answer.reason}` };
  if (answer.kind === "none") return { head: null };
  const { size, root, note } = answer;
  return { head: { size, root: hexOf(root), source, note } };
}

/** What the chain keeps under our account. */
async function headOfChain(app: App): Promise<Shown> {
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

type Judged = { contradiction: string | null } | { silent: string };

async function judge(app: App, shown: Shown): Promise<Judged> {
  if ("silent" in shown) return shown;
  const { head } = shown;
  if (!head) return { contradiction: null };
  const judged = judgeHead(app, head).then((contradiction) => ({ contradiction }));
  // The chain can be asked again; a note is held against the log or nothing goes on.
  return head.note === null
    ? judged.catch((error: Error) => ({ silent: `the chain: ${error.message}` }))
    : judged;
}

/** Judges the newest note of one witness: `null` where it does not contradict the log. */
export const judgeWitness = async (app: App, witness: WitnessAddress, signal: AbortSignal): Promise<Judged> =>
  judge(app, await headOfWitness(app, witness, signal));

/** `reached`: how many of the chain and the witnesses answered; `silent`: why the others did not. */
export type StartCheck = { reached: number; silent: string[]; contradiction: string | null };

/** What the chain and all witnesses of the settings show, asked at once, each for `deadline_ms` at most. */
function askAll(app: App, deadline_ms: number): Promise<Shown[]> {
  const named = app.settings.anchoring?.witnesses.map(({ url, key }) => `${url}#${key}`) ?? [];
  const late = new Promise<Shown>((done) => {
    setTimeout(() => done({ silent: "the chain: it does not answer in time" }), deadline_ms).unref();
  });
  return Promise.all([
    ...(app.opens_chain ? [Promise.race([headOfChain(app), late])] : []),
    ...parseWitnesses(named.join(",")).map((witness) =>
      headOfWitness(app, witness, AbortSignal.timeout(deadline_ms)),
    ),
  ]);
}

/** The heads that the chain and the witnesses show now. */
export async function headsOfOthers(app: App, deadline_ms: number): Promise<ProvenHead[]> {
  const shown = await askAll(app, deadline_ms);
  return shown.flatMap((one) => ("silent" in one ? [] : (one.head ?? [])));
}

/** Judges what all of them show. */
export async function askOthers(app: App, deadline_ms: number): Promise<StartCheck> {
  const shown = await askAll(app, deadline_ms);
  const answers = await Promise.all(shown.map((one) => judge(app, one)));
  const silent = answers.flatMap((answer) => ("silent" in answer ? [answer.silent] : []));
  const found = answers.flatMap((answer) => ("silent" in answer ? [] : (answer.contradiction ?? [])));
  return { reached: answers.length - silent.length, silent, contradiction: found[0] ?? null };
}
