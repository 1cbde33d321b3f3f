/** Compiles LogAnchor.sol to the artifact the service is built with. The same source gives the same bytes everywhere. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import solc from "solc";

const ROOT = join(import.meta.dirname, "../../..");
export const SOURCE = join(import.meta.dirname, "LogAnchor.sol");
export const ARTIFACT = join(ROOT, "src/domain/anchoring/generated/log-anchor.ts");

/**
 * No hash of metadata in the code, which would change with every comment; the EVM of 2024, which every chain of today
 * runs; an optimizer that thinks of the caller's gas before the size of the code; not by way of the IR, which costs one
 * per cent more here.
 */
const SETTINGS = {
  evmVersion: "cancun",
  viaIR: false,
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { appendCBOR: false, bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
};

type Output = {
  errors?: { formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: unknown; evm: { bytecode: { object: string } } }>>;
};

/** The artifact's text for a source. Rejects with the compiler's own words, warnings included. */
export function artifactOf(source: string): string {
  const sources = { "LogAnchor.sol": { content: source } };
  const input = JSON.stringify({ language: "Solidity", sources, settings: SETTINGS });
  const output = JSON.parse(solc.compile(input)) as Output;
  if (output.errors) throw new Error(output.errors.map((one) => one.formattedMessage).join("\n"));
  const { abi, evm } = output.contracts["LogAnchor.sol"]!.LogAnchor!;
  const { evmVersion, optimizer } = SETTINGS;
  return `/** Written by \`npm run contracts\` from ${relative(ROOT, SOURCE)}; not to be edited. */

/** The compiler, and its settings: EVM ${evmVersion}, optimized for ${optimizer.runs} runs, no metadata. */
export const SOLC = ${JSON.stringify(solc.version())};

export const SOURCE_SHA256 = "${createHash("sha256").update(source).digest("hex")}";

export const INIT_CODE = "0x${evm.bytecode.object}";

export const ABI = ${JSON.stringify(abi, null, 2)} as const;
`;
}

if (process.argv[1] === import.meta.filename)
  await writeFile(ARTIFACT, artifactOf(await readFile(SOURCE, "utf8")));
