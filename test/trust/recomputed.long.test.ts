/**
 * docs/vectors/trust.py over an export of many agents gets the same digest as the service's method. TRUST_SCALE=10
 * gives the promised size: 10,000 agents and 100,000 attestations.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { TABLE_SHA256 } from "../../src/domain/trust/decay.ts";
import { METHOD } from "../../src/domain/trust/rules.ts";
import { computeTrust, type Edge, type Evidence, resultSha256 } from "../../src/domain/trust/score.ts";
import { scaled } from "../support/scale.ts";
import { DAY } from "./log-vectors.ts";

const AGENTS = scaled(1_000, 100);
const ATTESTATIONS = 10 * AGENTS;
const DAY_US = 86_400_000_000;

const dir = mkdtempSync(join(tmpdir(), "tallystick-recomputed-"));
afterAll(() => rmSync(dir, { recursive: true }));

/** Seeded numbers (Lehmer, modulus 2^31 - 1). */
let state = 7;
const below = (most: number) => {
  state = (state * 48_271) % 2_147_483_647;
  return state % most;
};

/** The part of an export that the score needs, and the method's input for it. */
function madeUp() {
  const lines: string[] = [];
  const put = (stream_id: string, type: string, payload: object, day: number) =>
    lines.push(
      JSON.stringify({
        ...{ position: lines.length + 1, event_id: `e${lines.length}`, stream_id, type },
        ...{ payload: JSON.stringify(payload), recorded_at_us: day * DAY_US + below(DAY_US) },
      }),
    );
  const evidence: Evidence[] = [];
  for (let sx = 1; sx <= AGENTS; sx++) {
    const [stream, wallet] = [`agent-${sx}`, `0x${sx}`];
    put(stream, "AgentRegistered", { sx_number: sx }, DAY - 150);
    put(stream, "AgentKeyProven", { kid: wallet, kind: "evm", public: wallet }, DAY - 150);
    if (sx % 5 > 0) continue;
    const [day, micro] = [DAY - below(120), 100_000 + below(12_000_000)];
    const claimed = {
      payer: wallet,
      tenant: `wallet:${wallet}`,
      amount_micro: micro,
      operation: "trade_balance",
    };
    put(`payment-${sx}`, "PaymentClaimed", claimed, day);
    put(`payment-${sx}`, "PaymentSettled", {}, day);
    evidence.push({ kind: "spend", sx, points: micro, day });
  }
  const live = new Map<string, Edge>();
  for (let n = 0; n < ATTESTATIONS; n++) {
    const edge: Edge = {
      ...{ from: 1 + below(AGENTS), to: 1 + Math.floor(below(AGENTS) ** 2 / AGENTS) },
      ...{ weight_micro: 100 * (1 + below(100_000)), day: DAY - below(120) },
    };
    const { day, ...said } = edge;
    const skill = `skill-${below(3)}`;
    put(`attestation-${n}`, "AttestationMade", { ...said, skill }, day);
    live.set(`${edge.from} ${edge.to} ${skill}`, edge);
  }
  const seeds = new Map([[1, 80_000_000]]);
  put("trust", "TrustSeeded", { sx_number: 1, points_micro: 80_000_000 }, DAY);
  const silent = new Set([2, 3, 5]);
  for (const sx of silent) put(`agent-${sx}`, "AgentSuspended", {}, DAY);
  return { lines, put, input: { day: DAY, edges: [...live.values()], evidence, seeds, silent } };
}

const python = spawnSync("python3", ["--version"]).status === 0;
test.skipIf(!python)(
  `${AGENTS} agents and ${ATTESTATIONS} attestations have one digest in both languages${python ? "" : " (skipped: no python3 here)"}`,
  () => {
    const { lines, put, input } = madeUp();
    const result = computeTrust(input);
    const computed = {
      ...{ method: METHOD, as_of_position: lines.length, day: DAY, table_sha256: TABLE_SHA256 },
      ...{ agents: result.scores.filter(({ score }) => score > 0).length, edges: result.edges },
      ...{ rounds: result.rounds, result_sha256: resultSha256(result) },
    };
    expect(computed.agents).toBeGreaterThan(AGENTS / 2);
    put("trust", "TrustComputed", computed, DAY);
    const file = join(dir, "export.ndjson");
    const script = fileURLToPath(new URL("../../docs/vectors/trust.py", import.meta.url));
    const check = () => spawnSync("python3", [script, file], { encoding: "utf8" });
    writeFileSync(file, `${lines.join("\n")}\n`);
    expect(check()).toMatchObject({ stdout: "ok 1 computations\n", stderr: "" });
    const at = lines.findIndex((line) => line.includes("PaymentSettled"));
    writeFileSync(file, `${lines.filter((_, index) => index !== at).join("\n")}\n`);
    expect(check().stderr).toMatch(/^FAIL/);
  },
);
