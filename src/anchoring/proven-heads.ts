/**
 * Tree heads of our log that others hold: the chain under our account, and witnesses with our own key's signature. One that
 * contradicts the log is proof of a second history. It is kept in the database, so that the gate closes in every process.
 */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../app.ts";
import { compareChain } from "../chain/history.ts";
import { headCall, keptHead, logIdOf } from "../domain/anchoring/contract.ts";
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

/** Judges the newest note of one witness: `null` where it does not contradict the log. */
export async function judgeWitness(
  app: App,
  witness: WitnessAddress,
  signal: AbortSignal,
): Promise<{ contradiction: string | null } | { silent: string }> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const log = verifierKey(origin, "ed25519", app.signer.public_key);
  const source = `the witness ${witness.key.name}`;
  const answer = await newestNoteOf(witness, log, signal);
  if (answer.kind === "unusable") return { silent: `${source}: ${answer.reason}` };
  if (answer.kind === "none") return { contradiction: null };
  const { size, root, note } = answer;
  return { contradiction: await judgeHead(app, { size, root: hexOf(root), source, note }) };
}

async function judgeChain(app: App): Promise<{ contradiction: string | null } | { silent: string }> {
  const { chain } = app;
  try {
    const compared = await compareChain(app);
    if (compared.status !== "same") return { silent: `the chain: ${compared.reason}` };
    const { origin } = await app.store.identity(MAIN_LOG);
    const [answer] = await chain.read([headCall(chain.sender, logIdOf(origin))], { mined: true });
    if (answer!.data === "0x") return { silent: "the chain: the anchoring contract is not on it" };
    const head = keptHead(answer!);
    if (!head) return { contradiction: null };
    const { size, root } = head;
    const source = `the chain, under our account ${chain.sender},`;
    return { contradiction: await judgeHead(app, { size: Number(size), root, source, note: null }) };
  } catch (error) {
    return { silent: `the chain: ${(error as Error).message}` };
  }
}

/** `reached`: how many of the chain and the witnesses answered; `silent`: why the others did not. */
export type StartCheck = { reached: number; silent: string[]; contradiction: string | null };

/** Asks the chain and all witnesses of the settings at once, each for `deadline_ms` at most. */
export async function askOthers(app: App, deadline_ms: number): Promise<StartCheck> {
  const named = app.settings.anchoring?.witnesses.map(({ url, key }) => `${url}#${key}`) ?? [];
  const late = new Promise<{ silent: string }>((done) => {
    setTimeout(() => done({ silent: "the chain: it does not answer in time" }), deadline_ms).unref();
  });
  const answers = await Promise.all([
    ...(app.opens_chain ? [Promise.race([judgeChain(app), late])] : []),
    ...parseWitnesses(named.join(",")).map((witness) =>
      judgeWitness(app, witness, AbortSignal.timeout(deadline_ms)),
    ),
  ]);
  const silent = answers.flatMap((answer) => ("silent" in answer ? [answer.silent] : []));
  const found = answers.flatMap((answer) => ("silent" in answer ? [] : (answer.contradiction ?? [])));
  return { reached: answers.length - silent.length, silent, contradiction: found[0] ?? null };
}
