/** Inputs of scores with the positions between which each counts, and the scores of each day's newest computation. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import * as node from "../../domain/compute/node.ts";
import * as task from "../../domain/compute/task.ts";
import * as agent from "../../domain/identity/agent.ts";
import * as account from "../../domain/payments/account.ts";
import * as payment from "../../domain/payments/payment.ts";
import * as attestation from "../../domain/trust/attestation.ts";
import * as trust from "../../domain/trust/trust.ts";
import { edgesDdl, foldAttestations } from "./edges.ts";
import { ranksDdl } from "./ranks.ts";
import { remakeScores } from "./remake.ts";
import { type Run, runsOf } from "./runs.ts";
import { foldKeys, foldPayments, paymentsDdl, releaseWallets } from "./spending.ts";
import { foldReversal, foldWork, type ReversalEvent, workDdl } from "./work.ts";

export const trustProjection = projection({
  name: "trust",
  version: 3,
  ddl: `${edgesDdl}
    create table if not exists read.trust_evidence_v3 (
      sx         bigint not null,
      kind       text not null,
      points     bigint not null,
      event_id   text not null,
      day        bigint not null,
      position   bigint not null,
      source     text,
      valid_from bigint not null,
      valid_to   bigint
    );
    create index if not exists trust_evidence_v3_sx on read.trust_evidence_v3 (sx, position);
    create index if not exists trust_evidence_v3_valid_from on read.trust_evidence_v3 (valid_from);
    create index if not exists trust_evidence_v3_ended on read.trust_evidence_v3 (valid_to) where valid_to is not null;
    create index if not exists trust_evidence_v3_source on read.trust_evidence_v3 (source) where valid_to is null;
    create table if not exists read.trust_seeds_v3 (
      sx         bigint not null,
      points     bigint not null,
      reason     text not null,
      event_id   text not null,
      valid_from bigint primary key,
      valid_to   bigint
    );
    create index if not exists trust_seeds_v3_sx on read.trust_seeds_v3 (sx);
    create table if not exists read.trust_silence_v3 (
      sx         bigint not null,
      valid_from bigint primary key,
      valid_to   bigint
    );
    create index if not exists trust_silence_v3_sx on read.trust_silence_v3 (sx);
    create table if not exists read.trust_moved_v3 (only_row boolean primary key default true check (only_row), position bigint not null);
    create table if not exists read.trust_computed_v3 (
      position       bigint primary key,
      event_id       text not null,
      as_of_position bigint not null,
      day            bigint not null,
      agents         bigint not null,
      edges          bigint not null,
      rounds         bigint not null,
      result_sha256  text not null,
      computed_at    text not null,
      kept           boolean not null default false
    );
    create index if not exists trust_computed_v3_day on read.trust_computed_v3 (day, position);
    create table if not exists read.trust_scores_v3 (
      day      bigint not null,
      sx       bigint not null,
      score    bigint not null,
      before   bigint not null,
      base     bigint not null,
      attested bigint not null,
      penalty  bigint not null,
      primary key (day, sx)
    );
    create index if not exists trust_scores_v3_rank on read.trust_scores_v3 (day, score desc, sx);
    ${ranksDdl}
    ${paymentsDdl}
    ${workDdl}`,
  remake: remakeScores,
  // Older ranks serve the walks of an hour.
  decided: {
    trust_ranks_v3: (schema) => `select sx, score from ${schema}.trust_ranks_v3 where valid_to is null`,
  },
  of: [payment, agent, attestation, trust, task, node, account],
  async fold(events, tx) {
    let moved = 0;
    for (const run of await runsOf(tx, events)) moved = Math.max(moved, await foldRun(tx, run));
    if (moved > 0)
      await tx.query(
        `insert into read.trust_moved_v3 (position) values ($1)
         on conflict (only_row) do update set position = greatest(trust_moved_v3.position, excluded.position)`,
        [moved],
      );
  },
});

/** Returns the newest position that changed evidence; 0 = none. */
async function foldRun(tx: pg.ClientBase, run: Run): Promise<number> {
  switch (run.kind) {
    case "payments":
      return foldPayments(tx, run.events);
    case "work":
      return foldWork(tx, run.events);
    case "said":
      return foldAttestations(tx, run.events);
    case "keys":
      return foldKeys(tx, run.events);
    default: {
      let moved = 0;
      for (const event of run.events) if (await foldOne(tx, event)) moved = event.position;
      return moved;
    }
  }
}

/** Returns whether the event changed evidence. */
async function foldOne(
  tx: pg.ClientBase,
  event: ReversalEvent | PositionedEvent<typeof agent> | PositionedEvent<typeof trust>,
): Promise<boolean> {
  const { position } = event;
  switch (event.type) {
    case "AccountCreditReversed":
      return foldReversal(tx, event);
    case "TrustSeeded": {
      const { sx_number, points_micro, reason } = event.data;
      await close(tx, "trust_seeds_v3", "sx", sx_number, position);
      await tx.query(
        "insert into read.trust_seeds_v3 (sx, points, reason, event_id, valid_from) values ($1, $2, $3, $4, $5)",
        [sx_number, points_micro, reason, event.event_id, position],
      );
      return true;
    }
    case "TrustComputed": {
      const { as_of_position, day, agents, edges, rounds, result_sha256, computed_at } = event.data;
      await tx.query(
        `insert into read.trust_computed_v3
           (position, event_id, as_of_position, day, agents, edges, rounds, result_sha256, computed_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [position, event.event_id, as_of_position, day, agents, edges, rounds, result_sha256, computed_at],
      );
      return false;
    }
    default:
      return foldAgent(tx, event);
  }
}

async function foldAgent(tx: pg.ClientBase, event: PositionedEvent<typeof agent>): Promise<boolean> {
  const { type, data, id, position } = event;
  const sql = "select sx from read.trust_agents_v3 where lower_id = $1";
  const sx = (await tx.query<{ sx: number }>(sql, [id])).rows[0]?.sx;
  if (sx === undefined) return false;
  switch (type) {
    case "AgentKeyRevoked":
      await releaseWallets(tx, { sx, position, wallet: data.kid });
      return false;
    case "AgentDelegated":
      await tx.query(
        "insert into read.trust_delegations_v3 (delegation_id, from_sx, to_sx, expires_at) values ($1, $2, $3, $4)",
        [data.delegation_id, sx, data.to, data.expires_at],
      );
      return false;
    case "AgentDelegationRevoked":
      await close(tx, "trust_delegations_v3", "delegation_id", data.delegation_id, position);
      return false;
    case "AgentSuspended":
      return silence(tx, sx, position);
    case "AgentReinstated":
      return close(tx, "trust_silence_v3", "sx", sx, position);
    case "PassportRevoked": {
      await releaseWallets(tx, { sx, position });
      await tx.query(
        "update read.trust_delegations_v3 set valid_to = $2 where from_sx = $1 and valid_to is null",
        [sx, position],
      );
      // A suspended agent is silenced already.
      return silence(tx, sx, position);
    }
    default:
      return false;
  }
}

async function silence(tx: pg.ClientBase, sx: number, position: number): Promise<boolean> {
  const sql = `insert into read.trust_silence_v3 (sx, valid_from) select $1, $2
    where not exists (select from read.trust_silence_v3 where sx = $1 and valid_to is null)`;
  return (await tx.query(sql, [sx, position])).rowCount! > 0;
}

type Closable = "trust_delegations_v3" | "trust_seeds_v3" | "trust_silence_v3";

async function close(
  tx: pg.ClientBase,
  table: Closable,
  column: string,
  value: string | number,
  position: number,
): Promise<boolean> {
  const sql = `update read.${table} set valid_to = $2 where ${column} = $1 and valid_to is null`;
  return (await tx.query(sql, [value, position])).rowCount! > 0;
}
