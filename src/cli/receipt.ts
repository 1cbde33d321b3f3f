/** `tallystick verify receipt`: checks a receipt as far as possible without the service. */
import { text } from "node:stream/consumers";
import { Command, InvalidArgumentError } from "commander";
import { printable } from "../../eventstore/verify/report.ts";
import type { ReceiptedEvent } from "../audit/evidence-state.ts";
import { refuse } from "../core/model/refusal.ts";
import { decimalUsdc, USDC } from "../domain/payments/usdc.ts";
import {
  type Evidence,
  receiptIn,
  streamOfReceipt,
  type VerifiedReceipt,
  verifyReceipt,
} from "../domain/payments/verify-receipt.ts";
import { asKey, heldBy, orNoExport, type PackOptions, readPack, withPackOptions } from "./pack.ts";
import { bytesOf, textOf } from "./read-file.ts";
import { marked, type Terminal } from "./terminal.ts";

type Options = PackOptions & {
  jwks?: string;
  body?: string;
  request?: Evidence["request"];
  export?: string;
  json: boolean;
};

const FETCH_MS = 10_000;

export function verifyReceiptCommand({ settings }: Pick<Terminal, "settings">): Command {
  const command = new Command("receipt")
    .description("check a signed receipt against an answer, a request and the log")
    .argument("<file>", "the JWS, or its PAYMENT-RESPONSE; - for standard input")
    .option(
      "--jwks <file|url>",
      "the service's keys, its /.well-known/jwks.json; default: the key in DATA_DIR",
    )
    .option("--body <file>", "the answer as received, decoded")
    .option("--request <json>", 'the request: {"operation": …, "input": …}, with every default', asRequest)
    .option("--export <file>", "an export of the log or of the stream of the payment or channel (.gz too)")
    .option("--key <key>", "for the export: the log's expected verifier key: name+id+base64", asKey);
  return withPackOptions(command)
    .option("--json", "print the checks as JSON", false)
    .addHelpText(
      "after",
      "\nExits with 1 when any check fails, with 2 if --export is not an export of a log. It contacts only URLs in --jwks and --rpc.\nIt reads the export as `tallystick verify` does, with the same options.",
    )
    .action((file: string, options: Options) =>
      orNoExport(async () => {
        const given = file === "-" ? await text(process.stdin) : await textOf(file);
        const jws =
          receiptIn(given) ??
          refuse(
            "invalid",
            `${file === "-" ? "the standard input" : file} holds no receipt: neither a JWS nor a PAYMENT-RESPONSE`,
          );
        const keys = options.jwks ? await keysAt(options.jwks) : await ownKeys(settings);
        const body = options.body === undefined ? undefined : await bytesOf(options.body);
        const evidence = { keys, body, request: options.request };
        const verified = await withExport(verifyReceipt(jws, evidence), { file, ...options }, (log) =>
          verifyReceipt(jws, { ...evidence, log }),
        );
        process.stdout.write(
          options.json ? `${JSON.stringify(verified, null, 2)}\n` : formatChecks(verified),
        );
        if (!verified.ok) process.exitCode = 1;
      }),
    );
}

/** The whole export is verified first; then its lines are the hashed content of the receipt's event. */
async function withExport(
  verified: VerifiedReceipt,
  { file, export: path, ...options }: Options & { file: string },
  again: (log: Evidence["log"]) => VerifiedReceipt,
): Promise<VerifiedReceipt> {
  const { payload } = verified;
  if (path === undefined || !payload || !verified.checks.every(({ name, ok }) => name !== "members" || ok))
    return verified;
  const held = await heldBy(options);
  const named = { name: file, ...(payload.event as Omit<ReceiptedEvent, "name">) };
  const { origin, report, events } = await readPack(
    { files: [path], stream_id: streamOfReceipt(payload) },
    { ...held, events: [named] },
  );
  const failed = report.verdicts.find(({ ok }) => !ok);
  const reach = report.verdicts.find(({ name }) => name === "completeness")?.detail;
  const detail = failed
    ? `${failed.name}: ${failed.reason ?? failed.detail}`
    : `${report.events} events of ${origin}${report.caveat ? `, ${report.caveat}` : ""}; ${reach}`;
  const checks = [{ name: "export", ok: report.ok, detail }];
  if (!report.ok) return { ...verified, ok: false, checks: [...verified.checks, ...checks] };
  const { ok, ...more } = again({ origin, events });
  return { ok, ...more, checks: [...more.checks, ...checks] };
}

function formatChecks({ ok, checks, payload }: VerifiedReceipt): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(
    ({ name, ok, detail }) =>
      `${marked(ok, ok ? "ok  " : "FAIL")} ${name.padEnd(width)}  ${printable(detail)}`,
  );
  if (payload && ok) {
    const { payer, amount, asset, resourceUrl, issuedAt } = payload as { [name: string]: string };
    const at = new Date(Number(issuedAt) * 1000).toISOString();
    lines.push(printable(`${at}: ${payer} paid ${amountText(amount!, asset!)} for ${resourceUrl}`));
  }
  lines.push(marked(ok, ok ? "verified" : "NOT verified"));
  return `${lines.join("\n")}\n`;
}

const amountText = (amount: string, asset: string): string =>
  asset.toLowerCase() === USDC.address.toLowerCase() && /^\d{1,30}$/.test(amount)
    ? `${decimalUsdc(BigInt(amount))} USDC`
    : `${amount} of ${asset}`;

async function ownKeys(settings: Terminal["settings"]): Promise<readonly unknown[]> {
  const config = settings();
  const { signingKeyOf } = await import("../runtime/assemble-audit.ts");
  const signer = await signingKeyOf(config);
  if (!signer) refuse("invalid", `${config.DATA_DIR} has no signing key: set the service's keys by --jwks`);
  return [{ ...signer.public_key, kid: signer.kid }];
}

async function keysAt(place: string): Promise<readonly unknown[]> {
  const set = /^https?:\/\//.test(place) ? await fetched(place) : await textOf(place);
  try {
    const { keys } = JSON.parse(set) as { keys?: unknown };
    if (Array.isArray(keys)) return keys;
  } catch {}
  return refuse("invalid", `--jwks ${place} is not a JWK set: {"keys": [...]}`);
}

async function fetched(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
    if (response.ok) return await response.text();
    return refuse("unavailable", `--jwks ${url} answers ${response.status}`);
  } catch (error) {
    return refuse("unavailable", `cannot fetch --jwks ${url}: ${(error as Error).message}`);
  }
}

function asRequest(text: string): Evidence["request"] {
  try {
    const { operation, input, form, ...others } = JSON.parse(text) as { [name: string]: unknown };
    if (typeof operation === "string" && typeof input === "object" && Object.keys(others).length === 0)
      return { operation, input, ...(form !== undefined && { form }) };
  } catch {}
  throw new InvalidArgumentError('is JSON: {"operation": "top-partners", "input": {…}}');
}
