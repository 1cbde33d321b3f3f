/** Who may import whom: the one table, which this repository and the drafts of strangers are held against. */

/** `any`: all of it; `types`: only with `import type`; a list: only these names. */
export type Use = "any" | "types" | readonly string[];

export type Layer = {
  /** Repository paths: a folder with its slash, or a file. The longest that fits a file wins. */
  paths: readonly string[];
  /** Other layers by name, packages, Node's own modules, each with how much of it. A layer's own files are open to it. */
  imports: Readonly<Record<string, Use>>;
  /** No clock, no randomness, no input or output: they come in as arguments. */
  pure?: true;
  /** No part of the service that runs: its packages may be development dependencies. */
  development?: true;
};

/** Files, and the streams they are read and written by. */
const files = {
  "node:buffer": "any",
  "node:fs": "any",
  "node:fs/promises": "any",
  "node:path": "any",
  "node:readline": "any",
  "node:stream": "any",
  "node:stream/promises": "any",
  "node:zlib": "any",
} as const;

export const layers: Readonly<Record<string, Layer>> = {
  eventstore: {
    paths: ["eventstore/"],
    imports: {
      "@event-driven-io/emmett": "any",
      canonicalize: "any",
      "node:crypto": "any",
      "node:fs/promises": "any",
      pg: "any",
      "pg-copy-streams": "any",
      zod: "any",
    },
  },
  // How a thread is begun, from the sources or compiled.
  threads: {
    paths: ["eventstore/system/thread.ts"],
    imports: { "node:url": ["fileURLToPath"], "node:worker_threads": ["Worker"] },
  },
  // How what was written is made to last.
  syncing: { paths: ["eventstore/system/sync-file.ts"], imports: { "node:fs/promises": ["open"] } },
  // Written apart from the append path, so that one mistake cannot stand on both sides.
  verify: {
    paths: [
      "eventstore/verify/",
      "eventstore/files/export.ts",
      "eventstore/files/backup.ts",
      "eventstore/files/restore.ts",
      "eventstore/files/restore-source.ts",
      "eventstore/files/segment-file.ts",
      "eventstore/files/segment-export.ts",
    ],
    imports: {
      syncing: "any",
      hyparquet: "any",
      "hyparquet-writer": ["ByteWriter", "ParquetWriter"],
      ...files,
      "node:events": ["once"],
      "pg-copy-streams": ["from"],
      "node:crypto": "any",
      "node:os": ["availableParallelism"],
      "node:worker_threads": ["parentPort", "workerData"],
      threads: "any",
      pg: "any",
    },
  },
  domain: {
    paths: ["src/domain/"],
    imports: {
      "@event-driven-io/emmett": "types",
      "double-metaphone": ["doubleMetaphone"],
      "fastest-levenshtein": ["closest"],
      "ml-matrix": ["CholeskyDecomposition", "Matrix"],
      "node:crypto": [
        "createHash",
        "createHmac",
        "createPublicKey",
        "hash",
        "pbkdf2Sync",
        "scrypt",
        "timingSafeEqual",
        "verify",
      ],
      "multiformats/bases/base58": ["base58btc"],
      standardwebhooks: ["Webhook"],
      transliteration: ["transliterate"],
      "viem/accounts": ["HDKey", "hdKeyToAccount"],
      "viem/siwe": ["createSiweMessage", "parseSiweMessage"],
      "viem/utils": [
        "concatHex",
        "decodeAbiParameters",
        "decodeEventLog",
        "decodeFunctionData",
        "decodeFunctionResult",
        "encodeAbiParameters",
        "encodeEventTopics",
        "encodeFunctionData",
        "encodePacked",
        "formatUnits",
        "fromRlp",
        "getAddress",
        "hashTypedData",
        "isAddress",
        "keccak256",
        "parseAbi",
        "parseAbiParameters",
        "parseUnits",
        "stringToHex",
        "toFunctionSelector",
        "toRlp",
      ],
      verify: "types",
      zod: "any",
    },
    pure: true,
  },
  datasets: {
    paths: ["src/datasets/"],
    imports: {
      syncing: "any",
      ...files,
      "7zip-bin": "any",
      "@duckdb/node-api": "any",
      "csv-parse/sync": "any",
      domain: "any",
      "fast-xml-parser": ["XMLParser", "XMLValidator"],
      "lru-cache": "any",
      "node:child_process": "any",
      "node:crypto": "any",
      "node:util": ["promisify"],
      "read-excel-file/node": ["readSheet"],
      "node:timers/promises": ["setTimeout"],
      "node:worker_threads": ["parentPort", "workerData"],
      threads: ["startThread"],
      zod: "any",
    },
  },
  // What does not know what it is done for: waiting, and being alone among processes.
  leases: {
    paths: ["src/core/coordination/concurrency.ts", "src/core/coordination/lease.ts"],
    imports: { eventstore: ["gathered"], "node:crypto": "any", pg: "types" },
  },
  // Whatever asks others or is asked by them tells what trace that belongs to.
  tracing: {
    paths: ["src/core/tracing.ts"],
    imports: {
      "@opentelemetry/api": "any",
      "node:async_hooks": ["AsyncLocalStorage"],
      "node:crypto": ["randomBytes"],
    },
  },
  "span export": {
    paths: ["src/runtime/span-export.ts"],
    imports: {
      "@opentelemetry/api": ["trace"],
      "@opentelemetry/exporter-trace-otlp-http": "any",
      "@opentelemetry/resources": "any",
      "@opentelemetry/sdk-trace": "any",
      leases: ["inTime"],
    },
  },
  projections: {
    paths: ["src/projections/"],
    imports: {
      leases: "any",
      datasets: "any",
      domain: "any",
      eventstore: "any",
      "node:crypto": "any",
      "p-limit": "any",
      pg: "types",
      zod: "any",
    },
  },
  app: {
    paths: [
      "src/core/app.ts",
      "src/core/commands/unit.ts",
      "src/core/commands/transact.ts",
      "src/core/commands/staging.ts",
      "src/core/commands/sealing.ts",
      "src/reactors/subjects/erasure.ts",
      "src/core/commands/stream-cache.ts",
      "src/core/commands/stream-folds.ts",
      "src/core/commands/stream-snapshots.ts",
      "src/core/commands/stream-turns.ts",
      "src/core/background/reactor.ts",
      "src/core/read-models/health.ts",
      "src/core/read-models/readers.ts",
    ],
    imports: {
      "node:events": ["setMaxListeners"],
      leases: "any",
      datasets: "types",
      domain: "any",
      eventstore: "any",
      "lru-cache": "any",
      "node:crypto": ["createHash", "createHmac", "timingSafeEqual"],
      "node:v8": ["deserialize", "serialize"],
      pg: "types",
      projections: "any",
      tracing: "any",
    },
  },
  // The log as a store outside has it: the rows themselves, not what the service makes of them.
  outside: {
    paths: ["src/outside/"],
    imports: {
      app: "types",
      domain: "any",
      eventstore: "any",
      verify: ["BackupUnsound", "hexOfDigest", "lineOf", "LogHashes", "RestoreSource", "storedPages"],
    },
  },
  // What the log and the chain say of each other.
  chain: { paths: ["src/chain/"], imports: { app: "any", domain: "any", leases: "any" } },
  operator: {
    paths: ["src/operator/"],
    imports: {
      app: "any",
      chain: "any",
      datasets: "any",
      domain: "any",
      eventstore: "any",
      projections: "any",
      reactors: "any",
    },
  },
  reactors: {
    paths: ["src/reactors/"],
    imports: {
      app: "any",
      chain: "any",
      domain: "any",
      eventstore: "any",
      leases: "any",
      "node:util": ["promisify"],
      // What is kept of an execution is zipped.
      "node:zlib": ["gunzip", "gzip"],
      outside: "any",
      projections: "any",
    },
  },
  // Somebody else runs it, without our database: it knows notes and proofs, and keeps a key and a state.
  witness: {
    paths: ["src/witness/"],
    imports: {
      ...files,
      adapters: ["hasSignedHeads", "Memory", "openSignedHeads", "openSigner"],
      anchoring: [
        "consistencyFault",
        "cosignCheckpoint",
        "EMPTY_ROOT",
        "formatNote",
        "formatVerifierKey",
        "MalformedNote",
        "openCheckpoint",
        "openNote",
        "originHash",
        "parseAddCheckpoint",
        "parseCheckpoint",
        "parseNote",
        "parseTreeHead",
        "UnverifiedNote",
        "verifierKey",
      ],
      "node:crypto": ["randomUUID"],
      "node:http": "any",
      zod: "any",
    },
  },
  // Whoever works for a service elsewhere: it knows that by HTTP alone, and has the sandboxes and a key.
  worker: {
    paths: ["src/worker/"],
    imports: {
      ...files,
      adapters: ["openSigner", "processExecutor"],
      domain: "any",
      eventstore: ["canonicalText", "JsonObject"],
      leases: ["pause"],
      "node:crypto": ["randomUUID"],
      zod: "any",
    },
  },
  anchoring: {
    paths: ["src/anchoring/"],
    imports: {
      app: "any",
      chain: "any",
      leases: "any",
      domain: "any",
      eventstore: "any",
      merkletreejs: "any",
      "node:crypto": "any",
      "node:timers/promises": ["setTimeout"],
      pg: "types",
      projections: "any",
      tracing: "any",
      viem: "any",
      "viem/utils": "any",
      // A segment's events are judged, and written, as the verifier reads them.
      verify: [
        "Beside",
        "digestOf",
        "ExportedPart",
        "hexOfDigest",
        "LogHashes",
        "RowChecks",
        "SegmentFacts",
        "storedPages",
        "StoredRow",
        "writeSegment",
      ],
      zod: "any",
    },
  },
  audit: {
    paths: ["src/audit/"],
    imports: {
      anchoring: "any",
      domain: "any",
      ...files,
      pg: "types",
      verify: "any",
      viem: "any",
      "viem/utils": "any",
    },
  },
  contracts: {
    paths: ["src/anchoring/contracts/"],
    imports: { ...files, "node:crypto": "any", solc: "any" },
    development: true,
  },
  // An adapter speaks the words of its port, and those are the domain's.
  adapters: {
    paths: ["src/adapters/"],
    imports: {
      syncing: "any",
      // The Postgres binaries of this machine: the package is named by platform and processor.
      "(computed)": "any",
      "@eventstore/db-client": "any",
      "@duckdb/node-api": "any",
      "@jitl/quickjs-wasmfile-release-sync": "any",
      "@resvg/resvg-js": "any",
      aws4fetch: ["AwsV4Signer"],
      "csv-stringify/sync": "any",
      domain: "any",
      // What is sealed has the log's own form of JSON and its length prefixes; bytes travel to Postgres as the log's do.
      eventstore: ["byteaArray", "canonicalBytes", "gathered", "lengthPrefixed", "textArray"],
      echarts: "types",
      "hyparquet-writer": "any",
      leases: ["inTime"],
      "lru-cache": "any",
      "node:child_process": "any",
      "node:crypto": "any",
      "node:dns/promises": "any",
      "node:fs": "any",
      "node:fs/promises": "any",
      "node:http": ["ClientRequest", "IncomingMessage", "request"],
      "node:https": ["request"],
      "node:module": "any",
      "node:net": "any",
      "node:os": "any",
      "node:path": "any",
      "node:timers/promises": "any",
      "node:url": ["fileURLToPath"],
      "node:util": "any",
      "node:worker_threads": "any",
      threads: "any",
      tracing: "any",
      "node:zlib": "any",
      pg: "any",
      "quickjs-emscripten-core": "any",
      "tiny-secp256k1": "types",
      viem: "any",
      "viem/utils": "any",
      "viem/accounts": "any",
      zod: "any",
    },
  },
  api: {
    paths: ["src/api/"],
    imports: {
      leases: "any",
      "@modelcontextprotocol/node": "any",
      "@modelcontextprotocol/server": "any",
      "@opentelemetry/api": ["Span", "SpanStatusCode"],
      "@x402/core/http": "any",
      anchoring: "any",
      chain: "any",
      app: "any",
      audit: ["StreamReport", "verifyStream"],
      compression: "any",
      cors: "any",
      datasets: "any",
      domain: "any",
      esbuild: "any",
      eventstore: "any",
      express: "any",
      "fastest-levenshtein": "any",
      helmet: "any",
      jose: ["compactVerify", "errors"],
      "lru-cache": "any",
      "markdown-it": "any",
      negotiator: "any",
      "raw-body": "any",
      "node:crypto": "any",
      "node:events": "any",
      "node:fs/promises": ["readFile", "readdir"],
      "node:http": "types",
      "node:path": ["join"],
      "node:timers/promises": ["setTimeout"],
      "node:zlib": ["gzipSync"],
      pino: "types",
      projections: "any",
      "prom-client": "any",
      "rate-limiter-flexible": "any",
      reactors: "any",
      tracing: "any",
      zod: "any",
    },
  },
  // It runs in browsers: nothing of it may come from elsewhere.
  explorer: { paths: ["src/explorer/"], imports: { verifier: "any", wallet: "any" } },
  // The demo wallet signs as wallets do.
  wallet: { paths: ["src/explorer/wallet.ts"], imports: { "viem/accounts": ["mnemonicToAccount"] } },
  // Each one file for readers who trust nothing of ours; run by Node it reads a file.
  verifier: {
    paths: ["src/explorer/verifier.js", "src/explorer/roll-verifier.js"],
    imports: { "node:fs": "any", "node:url": "any", "node:zlib": "any" },
  },
  // What an area is, said once; it looks down on all layers that have a part of it.
  areas: {
    paths: ["src/areas/"],
    imports: {
      anchoring: "any",
      api: "any",
      app: "types",
      domain: "any",
      eventstore: "types",
      projections: "any",
      reactors: "any",
      zod: ["toJSONSchema"],
    },
  },
  // Settings judged: what they may not be.
  settings: {
    paths: ["src/settings/"],
    imports: { domain: "types", "fastest-levenshtein": ["distance"] },
    pure: true,
  },
  runtime: {
    paths: [
      "src/runtime/assemble.ts",
      "src/runtime/assemble-chain.ts",
      "src/runtime/assemble-reactors.ts",
      "src/runtime/shared-keys.ts",
      "src/runtime/assemble-readers.ts",
      "src/runtime/assemble-seeds.ts",
      "src/runtime/assemble-streams.ts",
      "src/runtime/assemble-audit.ts",
      "src/runtime/assemble-subjects.ts",
      "src/runtime/chain-of-log.ts",
      "src/runtime/config.ts",
      "src/runtime/database.ts",
      "src/migrations/",
      "src/runtime/opened-parts.ts",
      "src/runtime/server.ts",
    ],
    imports: {
      adapters: "any",
      anchoring: "any",
      api: "any",
      app: "any",
      areas: "any",
      chain: "any",
      datasets: "any",
      domain: "any",
      leases: ["enter"],
      eventstore: "any",
      "node:crypto": "any",
      "node:fs": ["existsSync", "readFileSync"],
      "node:fs/promises": "any",
      "node:http": "types",
      "node:path": "any",
      operator: "any",
      pg: "any",
      pino: "types",
      projections: "any",
      reactors: "any",
      settings: "any",
      "viem/accounts": "any",
      zod: "any",
    },
  },
  // A service made of a backup: the verifier judges, the runtime folds.
  restoring: {
    paths: ["src/runtime/restoring.ts"],
    imports: {
      adapters: ["copyOfEpoch", "keptHeads", "systemClock"],
      anchoring: "any",
      app: "types",
      areas: "any",
      domain: "any",
      eventstore: "any",
      "node:path": ["join"],
      pg: "any",
      outside: ["copySource"],
      pino: "types",
      projections: ["nameOf", "Projection"],
      runtime: "any",
      verify: "any",
    },
  },
  cli: {
    paths: ["src/cli/"],
    imports: {
      restoring: "any",
      anchoring: "any",
      api: "any",
      app: "any",
      areas: "any",
      audit: "any",
      "cli-progress": "any",
      commander: "any",
      datasets: "any",
      domain: "any",
      eventstore: "any",
      jose: ["importJWK", "jwtVerify"],
      runtime: "any",
      settings: ["faultOfAddress"],
      ...files,
      "node:crypto": "any",
      "node:http": "any",
      "node:net": "types",
      "node:stream/consumers": "any",
      "node:timers/promises": "any",
      "node:util": "any",
      operator: "any",
      outside: "any",
      pino: "types",
      "pino-pretty": "any",
      "span export": "any",
      // The demo starts a worker, which is a command of its own.
      "node:child_process": ["spawn"],
      projections: "any",
      verify: "any",
      "viem/utils": ["encodeFunctionData", "formatEther", "parseAbi"],
      "viem/accounts": "any",
      witness: "any",
      worker: "any",
      zod: "any",
    },
  },
  main: {
    paths: ["src/main.ts"],
    imports: { cli: "any", commander: "types", domain: "any", runtime: "any", pino: "any", tracing: "any" },
  },
};

const byLength = Object.entries(layers)
  .flatMap(([name, { paths }]) => paths.map((path) => ({ name, path })))
  .toSorted((a, b) => b.path.length - a.path.length);

/** The name of the layer a repository path belongs to. */
export const layerOf = (path: string): string | undefined =>
  byLength.find((one) => (one.path.endsWith("/") ? path.startsWith(one.path) : path === one.path))?.name;

/** What a file imports: the names of it, `*` for the module whole, or only types. */
export type Import = { specifier: string; types: boolean; names: readonly string[] };

/** An import that a file's layer may not have. */
export type Breach = {
  /** The repository path that a relative import comes to. */
  target: string | undefined;
  /** The layer, package or module of Node that is imported; undefined: a path of no layer. */
  room: string | undefined;
  /** What of it the layer may have: undefined is nothing. */
  only: Exclude<Use, "any"> | undefined;
  /** The names beyond that. */
  names: readonly string[];
};

/** Why the layer of a file may not have an import; undefined where it may. */
export function breachOf(path: string, layer: string, wanted: Import): Breach | undefined {
  const { specifier, names } = wanted;
  const target = specifier.startsWith(".") ? resolved(path, specifier) : undefined;
  const room = target === undefined ? specifier : layerOf(target);
  if (target !== undefined && room === layer) return undefined;
  // A package may have a layer's name, as Node's module `domain` has.
  const isNamesake = target === undefined && specifier in layers;
  const only = room === undefined || isNamesake ? undefined : layers[layer]!.imports[room];
  if (only === undefined || (only === "types" && !wanted.types)) return { target, room, only, names };
  if (only === "any" || wanted.types) return undefined;
  const beyond = names.filter((name) => !only.includes(name));
  return beyond.length === 0 ? undefined : { target, room, only, names: beyond };
}

/** The path that a relative import of a file comes to; one that leaves the repository begins with `..`. */
function resolved(file: string, to: string): string {
  const parts = file.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") {
      if (parts.length === 0 || parts.at(-1) === "..") parts.push("..");
      else parts.pop();
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
