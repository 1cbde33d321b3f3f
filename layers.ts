/**
 * Who may import whom. A layer is a folder, and a file belongs to the longest folder here that holds it. A file may import its own layer
 * and the layers, packages and modules of Node in its row; with `types:`, only types. Checks of strangers' drafts read this table too.
 */
const row = (names: string): readonly string[] => names.trim().split(/\s+/);

const files =
  "node:buffer node:fs node:fs/promises node:path node:readline node:stream node:stream/promises node:zlib";

export const layers: Readonly<Record<string, readonly string[]>> = {
  // The log. The verifier shares no line with the code that appends, so that no mistake stands on both sides.
  eventstore: row("@event-driven-io/emmett canonicalize node:crypto node:fs/promises pg pg-copy-streams zod"),
  "eventstore/system": row("node:fs/promises node:url node:worker_threads"),
  "eventstore/verify": row(`${files} eventstore/system node:crypto node:os node:worker_threads types:pg`),
  "eventstore/files": row(`
    ${files} eventstore/system eventstore/verify hyparquet hyparquet-writer node:crypto node:events
    types:pg pg-copy-streams`),

  // Forms that standards define; and the parts that pages share with the code of browsers.
  "src/standards": row("@noble/post-quantum/ml-dsa.js node:url zod"),
  "src/web": row("fastest-levenshtein minisearch stemmer"),

  // The engine: it knows no area.
  "src/core/model": row("src/standards types:@event-driven-io/emmett node:crypto node:url viem/utils zod"),
  "src/core": row(`
    eventstore src/core/model @opentelemetry/api lru-cache node:async_hooks node:crypto node:events node:v8
    p-limit types:pg`),

  // The parts of areas, each layer above the ones before.
  "src/domain": row(`
    types:eventstore/verify src/standards src/core/model layers.ts double-metaphone types:@event-driven-io/emmett
    fastest-levenshtein merkletreejs ml-matrix multiformats/bases/base58 node:crypto standardwebhooks transliteration
    viem/accounts viem/siwe viem/utils zod`),
  "layers.ts": [],
  "src/datasets": row(`
    ${files} eventstore/system types:src/core src/core/model src/domain 7zip-bin @duckdb/node-api csv-parse/sync
    fast-xml-parser lru-cache node:child_process node:crypto node:timers/promises node:util
    node:worker_threads read-excel-file/node zod`),
  "src/projections": row(
    "eventstore src/core src/core/model src/datasets src/domain node:crypto types:pg zod",
  ),
  "src/chain": row("src/core src/core/model src/domain"),
  "src/outside": row(
    "eventstore eventstore/files eventstore/verify types:src/core types:src/core/model src/domain",
  ),
  "src/reactors": row(`
    eventstore src/chain src/core src/core/model src/domain src/outside src/projections node:util node:zlib`),
  "src/operator": row(`
    eventstore src/chain src/core src/core/model src/datasets src/domain src/projections src/reactors types:pg`),

  // Outside of the process: an adapter speaks the words of its port.
  "src/adapters": row(`
    eventstore eventstore/system src/web src/core src/core/model src/domain (computed) @duckdb/node-api
    @eventstore/db-client @jitl/quickjs-wasmfile-release-sync @resvg/resvg-js aws4fetch csv-stringify/sync
    types:echarts fontkit hyparquet-writer jose lru-cache node:child_process node:crypto node:dns/promises node:fs
    node:fs/promises node:http node:https node:module node:net node:os node:path node:timers/promises node:url
    node:util node:worker_threads node:zlib pg quickjs-emscripten-core types:tiny-secp256k1 viem viem/accounts
    viem/utils zod`),
  "src/anchoring": row(`
    eventstore eventstore/files eventstore/verify src/standards src/chain src/core src/core/model src/domain src/projections
    merkletreejs node:crypto node:timers/promises types:pg viem viem/utils zod`),
  "src/anchoring/contracts": row(`${files} node:crypto solc`),
  "src/audit": row(`
    ${files} eventstore/files eventstore/verify src/anchoring src/core/model src/domain node:crypto types:pg viem viem/siwe viem/utils`),
  "src/witness": row(`${files} eventstore/files src/adapters src/anchoring node:crypto node:http zod`),
  "src/worker": row(
    `${files} eventstore eventstore/files src/adapters src/core src/core/model src/domain node:crypto zod`,
  ),

  // Calls: an operation is declared, served, described and carried.
  "src/api/declare": row(`
    eventstore types:src/anchoring types:src/core src/core/model src/datasets src/domain src/projections
    types:@modelcontextprotocol/server fastest-levenshtein http-message-sig lru-cache negotiator node:crypto zod`),
  "src/api/serve": row(`
    eventstore src/anchoring src/api/declare src/chain src/core src/core/model src/datasets src/domain src/projections
    @x402/core/http lru-cache node:crypto node:timers/promises viem/utils zod`),
  "src/api/describe": row(`
    eventstore src/anchoring src/api/declare src/api/serve src/web src/core src/core/model src/datasets src/domain src/projections
    @apiture/openapi-down-convert esbuild markdown-it negotiator node:crypto node:fs/promises node:path prom-client zod`),
  "src/api/agents": row(`
    eventstore src/api/declare types:src/core src/core/model src/domain src/projections jose lru-cache node:crypto zod`),
  "src/api/operations": row(`
    eventstore src/anchoring src/api/agents src/api/declare src/api/describe src/api/serve src/audit src/standards src/chain src/core
    src/core/model src/datasets src/domain src/projections src/reactors jose lru-cache node:crypto
    node:timers/promises node:zlib zod`),
  "src/api/transports": row(`
    eventstore src/api/declare src/api/describe src/api/serve src/core src/core/model src/domain compression cors
    express fastest-levenshtein helmet http-message-sig @modelcontextprotocol/node @modelcontextprotocol/server
    negotiator node:crypto node:events node:fs/promises types:node:http node:stream node:stream/promises node:util
    node:zlib @opentelemetry/api types:pino raw-body zod`),

  // It runs in browsers, and its verifiers in Node.
  "src/explorer": row(
    "src/core/model src/web (computed) node:fs node:url node:zlib viem/accounts world-atlas/countries-110m.json",
  ),

  // An area is said once; the runtime knows all of them, and the command line is the runtime's.
  "src/areas": row(`
    types:eventstore src/anchoring types:src/api/declare src/api/describe src/api/operations types:src/core
    src/core/model src/domain src/projections src/reactors zod`),
  "src/migrations": row("types:eventstore"),
  "src/runtime/settings": row(
    "types:src/core/model types:src/domain fastest-levenshtein node:crypto viem/utils",
  ),
  "src/runtime": row(`
    eventstore eventstore/files eventstore/verify src/adapters src/anchoring src/api/agents src/api/declare src/api/describe
    src/api/operations src/api/serve src/api/transports src/areas src/chain src/core src/core/model src/datasets
    src/domain src/migrations src/operator src/outside src/projections src/reactors src/runtime/settings
    @opentelemetry/api
    @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace node:crypto
    node:fs node:fs/promises types:node:http node:path pg types:pino viem/accounts zod`),
  "src/cli": row(`
    ${files} eventstore eventstore/files eventstore/verify src/anchoring src/api/declare src/api/describe
    src/api/operations src/api/serve src/areas src/audit src/core src/core/model src/datasets src/domain
    src/operator src/outside src/projections src/reactors src/runtime src/runtime/settings src/witness src/worker cli-progress
    commander jose node:child_process node:crypto node:http types:node:net node:stream/consumers
    node:timers/promises node:util types:pino pino-pretty viem/accounts viem/utils zod`),
  "src/main.ts": row("src/cli src/core src/core/model src/runtime types:commander node:fs node:util pino"),
};

/** Layers without clock, chance, input or output: callers pass them. */
export const pure: readonly string[] = [
  "src/standards",
  "src/web",
  "src/core/model",
  "src/domain",
  "src/runtime/settings",
];

/** Layers outside of the running service: they may import development dependencies. */
export const development: readonly string[] = ["src/anchoring/contracts"];
