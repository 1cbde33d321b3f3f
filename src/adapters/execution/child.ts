/** The process that runs one task. Input comes by stdin, the result goes to stdout, and the environment is empty. */
import { createHash } from "node:crypto";
import { MOST_OBJECT_BYTES } from "../../core/model/objects.ts";
import type { ExecutionResult } from "../../core/model/ports/executor.ts";
import type { KindInput } from "../../domain/compute/kinds.ts";

/** Each round hashes the previous digest; the first round hashes the seed. */
function runChain({ seed, n }: KindInput<"sha256-chain">): ExecutionResult {
  let hash: Buffer = Buffer.from(seed, "hex");
  for (let round = 0; round < n; round++) hash = createHash("sha256").update(hash).digest();
  return { exit: "ok", output: { hash: hash.toString("hex") } };
}

async function run(kind: string, input: never): Promise<ExecutionResult> {
  switch (kind) {
    case "js":
      return (await import("./js.ts")).runJs(input);
    case "sql":
      return (await import("./sql.ts")).runSql(input);
    case "sha256-chain":
      return runChain(input);
    default:
      throw new Error(`there is no kind ${kind}`);
  }
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const { kind, input } = JSON.parse(Buffer.concat(chunks).toString()) as { kind: string; input: never };
const ran = await run(kind, input);
const answer = JSON.stringify(ran);
// A result has the same size on every machine, so exceeding it is a limit and no failure of the node.
const isLarge = Buffer.byteLength(answer) > MOST_OBJECT_BYTES;
const limit: ExecutionResult = { exit: "limit", output: { limit: "result" } };
process.stdout.write(isLarge ? JSON.stringify(limit) : answer, () => process.exit(0));
