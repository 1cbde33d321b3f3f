/** Compiles the contracts to the artifacts in the build. The same sources give the same bytes everywhere. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import solc from "solc";

const ROOT = join(import.meta.dirname, "../../..");

/** `source` and `artifact` are files; `imports` names the package of imported contracts. */
export type Contract = { name: string; source: string; artifact: string; imports?: string };

const inDomain = (path: string) => join(ROOT, "src/domain", path);

export const logAnchor: Contract = {
  name: "LogAnchor",
  source: join(import.meta.dirname, "LogAnchor.sol"),
  artifact: inDomain("anchoring/generated/log-anchor.ts"),
};

const OPENZEPPELIN = "@openzeppelin/contracts";

export const contracts: readonly Contract[] = [
  logAnchor,
  {
    name: "PlatformToken",
    source: inDomain("wallet/contracts/PlatformToken.sol"),
    artifact: inDomain("wallet/generated/platform-token.ts"),
    imports: OPENZEPPELIN,
  },
  {
    name: "Airdrop",
    source: inDomain("wallet/contracts/Airdrop.sol"),
    artifact: inDomain("wallet/generated/airdrop.ts"),
    imports: OPENZEPPELIN,
  },
  {
    name: "Channels",
    source: inDomain("payments/contracts/Channels.sol"),
    artifact: inDomain("payments/generated/channels.ts"),
    imports: OPENZEPPELIN,
  },
  {
    name: "Collector",
    source: inDomain("payments/contracts/Collector.sol"),
    artifact: inDomain("payments/generated/collector.ts"),
    imports: OPENZEPPELIN,
  },
];

/**
 * No metadata hash, which would change with every comment; the 2024 EVM, which all current chains run; an optimizer
 * for the caller's gas rather than code size; not via the IR, which costs one per cent more here.
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

/** Gives the compiler files of one package and refuses others. */
function imported(path: string, from: string | undefined): { contents: string } | { error: string } {
  if (!from || !path.startsWith(`${from}/`)) return { error: `${path} may not be imported` };
  return { contents: readFileSync(join(ROOT, "node_modules", path), "utf8") };
}

/** The artifact's text. Throws the compiler's messages, warnings included. */
export function artifactOf({ name, source: file, imports }: Contract, source: string): string {
  const sources = { [`${name}.sol`]: { content: source } };
  const input = JSON.stringify({ language: "Solidity", sources, settings: SETTINGS });
  const output = JSON.parse(
    solc.compile(input, { import: (path: string) => imported(path, imports) }),
  ) as Output;
  if (output.errors) throw new Error(output.errors.map((one) => one.formattedMessage).join("\n"));
  const { abi, evm } = output.contracts[`${name}.sol`]![name]!;
  const { evmVersion, optimizer } = SETTINGS;
  return `/** Written by \`npm run contracts\` from ${relative(ROOT, file)}; not to be edited. */

/** The compiler, and its settings: EVM ${evmVersion}, optimized for ${optimizer.runs} runs, no metadata. */
export const SOLC = ${JSON.stringify(solc.version())};

export const SOURCE_SHA256 = "${createHash("sha256").update(source).digest("hex")}";

export const INIT_CODE = "0x${evm.bytecode.object}";

export const ABI = ${JSON.stringify(abi, null, 2)} as const;
`;
}

if (process.argv[1] === import.meta.filename)
  for (const contract of contracts)
    await writeFile(contract.artifact, artifactOf(contract, await readFile(contract.source, "utf8")));
