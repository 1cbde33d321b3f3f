/** `tallystick verify`: everything that can be said of an export, or of the database, with what the auditor holds against it. */
import { readFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import { segmentsAsExport } from "../../eventstore/segment-export.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { type HeldHead, parseHeldHead } from "../../eventstore/verify/held-head.ts";
import { formatVerdicts, printable, type VerifyReport } from "../../eventstore/verify/report.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { openExport } from "../../eventstore/verify/verify-export.ts";
import { denialsOf } from "../anchoring/cosign-signed.ts";
import type { Evidence } from "../anchoring/evidence.ts";
import { evidenceFor } from "../anchoring/gather-evidence.ts";
import { bytesOf } from "../anchoring/hex.ts";
import { parseVerifierKey, type VerifierKey } from "../anchoring/note.ts";
import { evidenceOfPath } from "../anchoring/segment-path.ts";
import { damagedTile, LogDamaged, TreeTooShort } from "../anchoring/tile-store.ts";
import type { App } from "../app.ts";
import { askChain, recoverKey } from "../assemble-audit.ts";
import { Audit } from "../audit/audit.ts";
import type { ChainView } from "../audit/chain-view.ts";
import type { Fault, HeldCheckpoint, HeldEvent } from "../audit/evidence-state.ts";
import { chainView, type VerifyPackOptions, verifyPack } from "../audit/verify-pack.ts";
import type { Config } from "../config.ts";
import type { Hex } from "../domain/chain.ts";
import { receiptIn } from "../domain/payments/verify-receipt.ts";
import { refuse } from "../domain/refusal.ts";
import { about } from "./about.ts";
import { verifyReceiptCommand } from "./receipt.ts";
import { asAddress, asCount, type Terminal, withRuntime } from "./terminal.ts";

type Options = {
  head: HeldHead[];
  origin?: string;
  key?: VerifierKey;
  witness: VerifierKey[];
  checkpoint: string[];
  receipt: string[];
  proof?: string;
  network?: string;
  contract?: Hex;
  signer?: Hex;
  rpc?: string;
  maxStreams: number;
  plain: boolean;
  json: boolean;
};

export function verifyCommand(terminal: Terminal): Command {
  const { settings } = terminal;
  const verifying = new Command("verify")
    .description(about.verify)
    .argument(
      "[files...]",
      "an export (.gz too), or - for standard input; segments (.parquet), and the export of what follows them; the database when left out",
    )
    .option(
      "--head <position:hash>",
      "a head that you kept, of one stream as version:hash, or a feed cursor; may be repeated",
      asHeads,
      [],
    )
    .option("--checkpoint <file>", "a checkpoint (signed note) that you kept; may be repeated", asList, [])
    .option("--receipt <file>", "a receipt that you were given; may be repeated", asList, [])
    .option("--proof <file>", "with one segment alone: what GET /log/segments/{from}/proof answered")
    .option("--origin <origin>", "the log's origin as you know it")
    .option("--key <key>", "the log's verifier key as you know it: name+id+base64", asKey)
    .option("--witness <key>", "a witness that must have cosigned; may be repeated", asKeys, [])
    .option("--network <id>", "the chain that must hold the anchor, such as eip155:8453")
    .option("--contract <address>", "the contract that must hold it", asAddress)
    .option("--signer <address>", "the account that must have sent it", asAddress)
    .option("--rpc <url>", "an RPC endpoint of that chain: it is asked whether the anchors stand there")
    .option("--max-streams <n>", "streams to keep in mind, some 180 bytes each", asCount, 1_000_000)
    .option("--plain", "read every line in JavaScript, none by WebAssembly: slower, the same report", false)
    .option("--json", "print the report as JSON", false)
    .addHelpText(
      "after",
      `
What is left out of key, origin, contract and signer is believed as the export has it, and the report says so; what you
give must be met. Exits with 1 when any verdict fails. A file is verified without the service or its database, and
nobody but --rpc is asked. The database is held against what this machine signed last, the chain of BASE_RPC_URL and
the WITNESSES; who of these does not answer is named, and says nothing.

  tallystick verify log.ndjson.gz --key "$(curl -s https://…/log/key)" --rpc https://mainnet.base.org
  tallystick verify log-*.parquet rest.ndjson.gz
  tallystick verify log.ndjson.gz --head 1234:5f1d0c3a --checkpoint kept.note`,
    )
    .action(async (files: string[], options: Options) => {
      const held = await heldBy(options);
      const report =
        files.length > 0
          ? await verifyFiles(files, held, options.proof)
          : await withRuntime(terminal, ({ app }) => verifyOwn(app, held, settings()));
      process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : formatVerdicts(report));
      if (!report.ok) process.exitCode = 1;
    });
  verifying.enablePositionalOptions().addCommand(verifyReceiptCommand({ settings }));
  return verifying;
}

/** Segments and what follows them are one history: they are verified in one run. */
async function verifyFiles(
  files: readonly string[],
  held: VerifyPackOptions,
  proof?: string,
): Promise<VerifyReport> {
  const segments = files.filter((file) => file.endsWith(".parquet"));
  const [rest, ...others] = files.filter((file) => !segments.includes(file));
  if (others.length > 0)
    refuse(
      "invalid",
      `${rest} and ${others.join(", ")}: one export is verified at a time, behind the segments that it follows`,
    );
  if (proof !== undefined && (segments.length !== 1 || rest !== undefined))
    refuse("invalid", "--proof is of one segment: give that file alone");
  if (segments.length === 0) return verifyPack(openExport(rest!), held);
  const evidence = proof === undefined ? [] : evidenceOfPath(await fileOf(proof));
  const text = segmentsAsExport(segments, {
    rest: rest === undefined ? undefined : openExport(rest),
    evidence,
  });
  return verifyPack(text, { ...held, ends_inside: rest === undefined });
}

async function heldBy(options: Options): Promise<VerifyPackOptions> {
  const { head, origin, key, witness, network, contract, signer, rpc, maxStreams, plain } = options;
  return {
    heads: head,
    ...{ origin, key, witnesses: witness, network, contract, signer, max_streams: maxStreams, plain },
    checkpoints: await Promise.all(options.checkpoint.map(checkpointIn)),
    events: await Promise.all(options.receipt.map(eventIn)),
    ask: rpc === undefined ? undefined : askChain(rpc),
    recover: recoverKey,
  };
}

/**
 * The database, with the evidence that an export of it would carry, and the tiles that proofs are made of; held against what
 * is known of it elsewhere.
 */
async function verifyOwn(
  app: App,
  { ask, ...held }: VerifyPackOptions,
  { BASE_RPC_URL, WITNESSES }: Config,
): Promise<VerifyReport> {
  const { origin } = await app.store.identity();
  // Before the events are counted: what is signed meanwhile may be of more.
  const signed = await app.signed.last(origin);
  const { denials, silent } = await denialsOf(app, { witnesses: WITNESSES });
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
    ? [{ name: "what this machine signed last", size: signed.size, root: bytesOf(signed.root) }]
    : [];
  const companion = new Audit({ ...held, treeHeads, denials, tiles, chain });
  const evidence = before.map((line) => JSON.stringify(line));
  return verifyDatabase(app.pool, MAIN_LOG, { ...held, companion, evidence });
}

/** The configured chain, asked about our own account; undefined where it says nothing, which is told. */
async function ownChain(
  { chain }: App,
  rpc_url: string,
  origin: string,
  evidence: readonly Evidence[],
  { contract }: VerifyPackOptions,
): Promise<ChainView | undefined> {
  const view = await chainView(askChain(rpc_url), origin, evidence, { signer: chain.sender, contract });
  if (typeof view === "string") {
    process.stderr.write(`${printable(`the chain at BASE_RPC_URL says nothing: ${view}`)}\n`);
    return undefined;
  }
  const isAnchored = view.heads.length > 0 || evidence.some((line) => line.evidence === "anchor");
  return isAnchored ? view : undefined;
}

/** Where events are missing there is no tree to gather evidence from; which ones, the other verdicts say. */
function damageIn(error: unknown): { before: Evidence[]; fault: Fault } {
  if (!(error instanceof LogDamaged || error instanceof TreeTooShort)) throw error;
  return { before: [], fault: { reason: error.message, place: 0 } };
}

async function checkpointIn(path: string): Promise<HeldCheckpoint> {
  return { name: path, note: await fileOf(path) };
}

/** The event that a receipt names; whether the receipt itself is good, `verify receipt` says. */
async function eventIn(path: string): Promise<HeldEvent> {
  const jws = receiptIn(await fileOf(path));
  try {
    const { event } = JSON.parse(Buffer.from(jws!.split(".")[1]!, "base64url").toString()) as {
      event: Omit<HeldEvent, "name">;
    };
    const { origin, position, event_hash } = event;
    return { name: path, origin, position, event_hash };
  } catch {
    return refuse("invalid", `${path} holds no receipt that names an event`);
  }
}

const fileOf = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((error: Error) =>
    refuse("invalid", `${path} cannot be read: ${error.message}`),
  );

const asList = (text: string, before: string[]) => [...before, text];

const asKeys = (text: string, before: VerifierKey[]) => [...before, asKey(text)];

const asKey = (text: string): VerifierKey => parsed(() => parseVerifierKey(text));

const asHeads = (text: string, before: HeldHead[]) => [...before, parsed(() => parseHeldHead(text))];

function parsed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
