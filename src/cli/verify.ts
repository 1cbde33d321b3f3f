/** `tallystick verify`: checks an export or the database, with the auditor's knowledge. */
import { Command } from "commander";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { formatVerdicts, printable } from "../../eventstore/verify/report.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { askWitnesses } from "../anchoring/ask-witnesses.ts";
import type { Evidence } from "../anchoring/evidence.ts";
import { evidenceFor } from "../anchoring/gather-evidence.ts";
import { bytesOf } from "../anchoring/hex.ts";
import { damagedTile, LogDamaged, TreeTooShort } from "../anchoring/tile-store.ts";
import { Audit } from "../audit/audit.ts";
import { blockTimesBy, type ChainView } from "../audit/chain-view.ts";
import type { ReceiptedEvent } from "../audit/evidence-state.ts";
import type { Fault } from "../audit/fault.ts";
import { NamedBlocks } from "../audit/named-blocks.ts";
import { chainView, convictionsOf, type PackReport, type VerifyPackOptions } from "../audit/verify-pack.ts";
import type { App } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import { receiptIn } from "../domain/payments/verify-receipt.ts";
import { askChain } from "../runtime/assemble-audit.ts";
import type { Config } from "../runtime/config.ts";
import { about } from "./about.ts";
import {
  asKey,
  asList,
  heldBy,
  NoExport,
  orNoExport,
  type PackOptions,
  policyIn,
  readPack,
  withPackOptions,
} from "./pack.ts";
import { peersIn } from "./peer-files.ts";
import { textOf } from "./read-file.ts";
import { verifyReceiptCommand } from "./receipt.ts";
import { openDatabase, type Terminal, withRuntime } from "./terminal.ts";
import { proofIn, verifyProofFile } from "./verify-proof.ts";
import { readModelsVerdict } from "./verify-read-models.ts";

type Options = PackOptions & {
  receipt: string[];
  peer: string[];
  peerProof?: string;
  proof?: string;
  readModels: boolean;
  json: boolean;
};

export function verifyCommand(terminal: Terminal): Command {
  const { settings } = terminal;
  const command = new Command("verify")
    .description(about.verify)
    .argument(
      "[files...]",
      "an export (.gz too), or - for standard input; a proof of one event (GET /log/proof/{event_id}); segments (.parquet), and the export after them; default: the database",
    );
  const verifying = withPackOptions(command)
    .option("--key <key>", "the log's expected verifier key: name+id+base64", asKey)
    .option("--receipt <file>", "a receipt that you have; may be repeated", asList, [])
    .option("--proof <file>", "with one segment: the answer of GET /log/segments/{from}/proof")
    .option("--peer <file>", "a checkpoint that another auditor fetched; may be repeated", asList, [])
    .option("--peer-proof <file>", "with a larger --peer: the answer of GET /log/consistency")
    .option("--read-models", "fold the database's log again and compare the stored rows", false)
    .option("--json", "print the report as JSON", false)
    .addHelpText(
      "after",
      `
The export must match the key, origin, contract and signer that you give. Omitted ones are taken from the export, and
the report says so. With --rpc the trusted accounts are the first that anchored this log, and those it endorsed. If
another account anchored the export, the verdict is contested until you name one by --signer. Block times are compared
with dates. Exits with 1 when any verdict fails, with 2 if the file is not an export of a log. Verifying a file needs no
service or database, and contacts only --rpc.
The database is compared with this machine's last signature, the chain of BASE_RPC_URL and the WITNESSES; the report
names any that is unreachable.

  tallystick verify log.ndjson.gz --key "$(curl -s https://…/log/key)" --rpc https://mainnet.base.org
  tallystick verify log-*.parquet rest.ndjson.gz
  tallystick verify log.ndjson.gz --head 1234:5f1d0c3a --checkpoint kept.note
  tallystick verify log.ndjson.gz --policy kept.policy --peer another-auditors.note`,
    )
    .action((files: string[], { receipt, peer, peerProof, proof, readModels, json, ...options }: Options) =>
      orNoExport(async () => {
        const answer = await proofIn(files);
        if (answer) {
          const { head, checkpoint, network, contract, signer, rpc } = options;
          const unused = { receipt, peer, "read-models": readModels, proof, json, head, checkpoint };
          const { text, code } = verifyProofFile(
            answer,
            { key: options.key, origin: options.origin, ...(await trustIn(options)) },
            { ...unused, network, contract, signer, rpc },
          );
          process.stdout.write(`${text}\n`);
          process.exitCode = code;
          return;
        }
        const events = await Promise.all(receipt.map(eventIn));
        const peers = await peersIn(peer, peerProof);
        const held = { ...(await heldBy(options)), events, peers };
        if (readModels && files.length > 0)
          refuse("invalid", "--read-models compares the database's rows: name no file");
        const place = files.length > 0 ? files.join(", ") : settings().DATA_DIR;
        const report =
          files.length > 0
            ? (await readPack({ files, proof }, held)).report
            : await verifyDatabaseOf(terminal, held, readModels);
        if (report.origin === null)
          throw new NoExport(`the database has no log: ${report.verdicts[0]?.reason}`);
        process.stdout.write(
          json
            ? `${JSON.stringify({ ...report, place }, null, 2)}\n`
            : `${printable(`log ${report.origin}, in ${place}`)}\n${formatVerdicts(report, files.length > 0 ? "file" : "database")}${formatConvictions(report)}`,
        );
        if (!report.ok) process.exitCode = 1;
      }),
    );
  verifying.enablePositionalOptions().addCommand(verifyReceiptCommand({ settings }));
  return verifying;
}

async function trustIn({ witness, policy }: PackOptions) {
  return { witnesses: witness, policy: policy === undefined ? undefined : await policyIn(policy) };
}

/** The two notes as they were signed; a reader needs nothing else. */
const formatConvictions = ({ convictions = [] }: PackReport): string =>
  convictions
    .map(({ ours, theirs }) => `\nTwo histories under one signature. Here:\n\n${ours}\nThere:\n\n${theirs}`)
    .join("");

async function verifyDatabaseOf(
  terminal: Terminal,
  held: VerifyPackOptions,
  withReadModels: boolean,
): Promise<PackReport> {
  const config = terminal.settings();
  const database = openDatabase(terminal, config);
  return withRuntime(
    terminal,
    async ({ app, areas }) => {
      const report = await verifyOwn(app, held, config);
      if (!withReadModels) return report;
      const verdict = await readModelsVerdict(app.store, areas, (await database).ownerUrl);
      return { ...report, ok: report.ok && verdict.ok, verdicts: [...report.verdicts, verdict] };
    },
    { chain: false, database },
  );
}

/** Verifies the database with the evidence of an export and the tiles of proofs, against what is known elsewhere. */
async function verifyOwn(
  app: App,
  { ask, ...held }: VerifyPackOptions,
  { BASE_RPC_URL, WITNESSES }: Config,
): Promise<PackReport> {
  const { origin } = await app.store.identity();
  // Read before the events are counted: a later signature may cover more.
  const signed = await app.signed.last(origin);
  const { notes, denials, silent } = await askWitnesses(app, { witnesses: WITNESSES });
  for (const reason of silent) process.stderr.write(`${printable(reason)}\n`);
  const { position: last } = await app.store.head();
  const { before, fault } = await evidenceFor(app)({ first: 1, last }).then(
    (lines) => ({ ...lines, fault: undefined }),
    damageIn,
  );
  const tiles = fault ?? (await damagedTile(app.pool, MAIN_LOG));
  const chain = ask
    ? await chainView(ask, origin, before, held)
    : BASE_RPC_URL && (await ownChain(app, BASE_RPC_URL, origin, before, held));
  const treeHeads = signed
    ? [{ name: "this machine's last signature", size: signed.size, root: bytesOf(signed.root) }]
    : [];
  const rpc = ask ?? (BASE_RPC_URL && chain ? askChain(BASE_RPC_URL) : undefined);
  const blocks =
    rpc && typeof chain === "object"
      ? { named: new NamedBlocks(chain.chain_id), times: blockTimesBy(rpc) }
      : undefined;
  const checkpoints = [...(held.checkpoints ?? []), ...notes];
  const witnessed = denials.length === 0 ? notes.map(({ witness }) => witness) : [];
  const companion = new Audit({ ...held, checkpoints, treeHeads, denials, witnessed, tiles, chain, blocks });
  const evidence = before.map((line) => JSON.stringify(line));
  const report = await verifyDatabase(app.pool, MAIN_LOG, { ...held, companion, evidence });
  return { ...report, acts: companion.acts ?? null, ...convictionsOf(companion) };
}

/** The configured chain's view of our own account; undefined if it does not answer, which is reported. */
async function ownChain(
  { chain }: App,
  rpc_url: string,
  origin: string,
  evidence: readonly Evidence[],
  { contract }: VerifyPackOptions,
): Promise<ChainView | undefined> {
  const view = await chainView(askChain(rpc_url), origin, evidence, { signer: chain.sender, contract });
  if (typeof view === "string") {
    process.stderr.write(`${printable(`the chain at BASE_RPC_URL gives no answer: ${view}`)}\n`);
    return undefined;
  }
  const isAnchored = view.heads.length > 0 || evidence.some((line) => line.evidence === "anchor");
  return isAnchored ? view : undefined;
}

/** Without all events there is no tree and no evidence; other verdicts name the missing ones. */
function damageIn(error: unknown): { before: Evidence[]; fault: Fault } {
  if (!(error instanceof LogDamaged || error instanceof TreeTooShort)) throw error;
  return { before: [], fault: { reason: error.message, place: 0 } };
}

/** The receipt's event; `verify receipt` checks the receipt itself. */
async function eventIn(path: string): Promise<ReceiptedEvent> {
  const jws = receiptIn(await textOf(path));
  try {
    const { event, issuedAt } = JSON.parse(Buffer.from(jws!.split(".")[1]!, "base64url").toString()) as {
      event: Omit<ReceiptedEvent, "name" | "issued_at">;
      issuedAt: number;
    };
    const { origin, position, event_hash } = event;
    return { name: path, origin, position, event_hash, issued_at: issuedAt };
  } catch {
    return refuse("invalid", `${path} holds no receipt that names an event`);
  }
}
