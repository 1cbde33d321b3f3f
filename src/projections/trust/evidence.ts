/** Inputs of a computation as of a log position. */
import type pg from "pg";
import { batched } from "../../../eventstore/query-batch.ts";
import { type Attestor, type EvidenceAt, outOf } from "../../domain/trust/explain.ts";
import type { Edge, Evidence, EvidenceKind, Input } from "../../domain/trust/score.ts";
import type { SkillAttestation } from "../../domain/trust/skills.ts";

/** A pool, or a client with its own transaction. */
type Database = pg.Pool | pg.ClientBase;

/** Live at the position $1. */
const AT = "valid_from <= $1 and (valid_to is null or valid_to > $1)";

/** The newest position that changed evidence; 0 before the first. */
export async function movedAt(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ position: number }>("select position from read.trust_moved_v3");
  return rows[0]?.position ?? 0;
}

export async function inputAt(pool: Database, position: number, day: number): Promise<Input> {
  const asRows = async <Row extends unknown[]>(text: string) =>
    (await pool.query<Row>({ text, values: [position], rowMode: "array" })).rows;
  const edges = await asRows<[number, number, number, number]>(
    `select from_sx, to_sx, weight_micro, day from read.trust_edges_v3 where ${AT}`,
  );
  const evidence = await asRows<[EvidenceKind, number, number, number]>(
    `select kind, sx, points, day from read.trust_evidence_v3 where ${AT}`,
  );
  const seeds = await asRows<[number, number]>(`select sx, points from read.trust_seeds_v3 where ${AT}`);
  const silent = await asRows<[number]>(`select sx from read.trust_silence_v3 where ${AT}`);
  return {
    day,
    edges: edges.map(([from, to, weight_micro, of]): Edge => ({ from, to, weight_micro, day: of })),
    evidence: evidence.map(([kind, sx, points, of]): Evidence => ({ kind, sx, points, day: of })),
    seeds: new Map(seeds),
    silent: new Set(silent.map(([sx]) => sx)),
  };
}

/** The input of an explanation. `attestors`: the counted ones, ascending by number. */
export type AgentEvidence = {
  seeded: number;
  seed_event: string | null;
  evidence: EvidenceAt[];
  attestors: Attestor[];
};

/** `before` returns the attestors' scores in the next-to-last round. */
export async function evidenceOf(
  pool: Database,
  { sx, position, day }: { sx: number; position: number; day: number },
  before: (attestors: number[]) => Promise<Map<number, number>>,
): Promise<AgentEvidence> {
  const of = async <Row extends pg.QueryResultRow>(text: string, ...more: unknown[]) =>
    (await pool.query<Row>(text, [position, ...more])).rows;
  const evidence = await of<EvidenceAt>(
    `select kind, sx, points, day, event_id from read.trust_evidence_v3 where ${AT} and sx = $2 order by position`,
    sx,
  );
  const [seed] = await of<{ points: number; event_id: string }>(
    `select points, event_id from read.trust_seeds_v3 where ${AT} and sx = $2`,
    sx,
  );
  const attestations = await of<AttestationRow>(
    `select from_sx, to_sx, weight_micro, day, event_id from read.trust_edges_v3
     where ${AT} and from_sx <> to_sx and from_sx in (select from_sx from read.trust_edges_v3 where ${AT} and to_sx = $2)
       and from_sx not in (select s.sx from read.trust_silence_v3 s where ${AT})
     order by from_sx, valid_from`,
    sx,
  );
  const byAttestor = new Map<number, AttestationRow[]>();
  for (const one of attestations) byAttestor.set(one.from_sx, [...(byAttestor.get(one.from_sx) ?? []), one]);
  const scores = await before([...byAttestor.keys()]);
  const attestors = [...byAttestor].map(([from, all]) => ({
    from,
    before: scores.get(from) ?? 0,
    out: outOf(
      all.map(({ to_sx: to, weight_micro, day: of }) => ({ to, weight_micro, day: of })),
      day,
    ),
    of_agent: all.filter(({ to_sx }) => to_sx === sx),
  }));
  return {
    seeded: seed?.points ?? 0,
    seed_event: seed?.event_id ?? null,
    evidence,
    attestors: attestors.filter(({ of_agent }) => of_agent.length > 0),
  };
}

type AttestationRow = { from_sx: number; to_sx: number; weight_micro: number; day: number; event_id: string };

/** Live attestations of each agent; concurrent queries are batched. */
export const liveAttestations = batched(async (pool, agents: readonly number[]) => {
  const text = `select (select count(*)::int from read.trust_edges_v3 where to_sx = a.sx and valid_to is null) as live
    from unnest($1::bigint[]) with ordinality a (sx, place) order by a.place`;
  const { rows } = await pool.query<{ live: number }>({ name: "trust_live", text, values: [agents] });
  return rows.map(({ live }) => live);
});

/** Counted attestors of each agent as of a position; concurrent queries are batched. */
export const attestorsOf = batched(async (pool, queries: readonly { sx: number; position: number }[]) => {
  const at = (of: string) =>
    `${of}.valid_from <= a.position and (${of}.valid_to is null or ${of}.valid_to > a.position)`;
  const text = `select (select count(distinct e.from_sx)::int from read.trust_edges_v3 e
      where e.to_sx = a.sx and e.from_sx <> a.sx and ${at("e")}
        and not exists (select from read.trust_silence_v3 s where s.sx = e.from_sx and ${at("s")})) as attestors
    from unnest($1::bigint[], $2::bigint[]) with ordinality a (sx, position, place) order by a.place`;
  const values = [queries.map(({ sx }) => sx), queries.map(({ position }) => position)];
  const { rows } = await pool.query<{ attestors: number }>({ name: "trust_attestors", text, values });
  return rows.map(({ attestors }) => attestors);
});

/** Live = neither revoked nor replaced. */
export async function isLive(pool: pg.Pool, attestation_id: string): Promise<boolean> {
  const sql = "select from read.trust_edges_v3 where attestation_id = $1 and valid_to is null";
  return (await pool.query(sql, [attestation_id])).rowCount === 1;
}

/** All attestations of an agent, live or not. */
export async function attestationsBy(pool: pg.Pool, sx: number): Promise<string[]> {
  const sql = "select attestation_id from read.trust_edges_v3 where from_sx = $1 order by valid_from";
  return (await pool.query<{ attestation_id: string }>(sql, [sx])).rows.map((row) => row.attestation_id);
}

/** Counted attestations of each skill of an agent as of a position. */
export async function skillAttestations(
  pool: Database,
  sx: number,
  position: number,
): Promise<SkillAttestation[]> {
  const sql = `select from_sx as "from", skill, weight_micro, day, made_at from read.trust_edges_v3
    where ${AT} and to_sx = $2 and from_sx <> $2
      and from_sx not in (select s.sx from read.trust_silence_v3 s where ${AT}) order by valid_from`;
  return (await pool.query<SkillAttestation>(sql, [position, sx])).rows;
}

/** `independent`: attestors with evidence of their own on this day; `mutual`: attestors that the agent attests too. */
export type Relations = { independent: number; mutual: Set<number> };

export async function relationsOf(
  pool: Database,
  sx: number,
  position: number,
  day: number,
): Promise<Relations> {
  const text = `with others as (
      select distinct from_sx as sx from read.trust_edges_v3 e
      where to_sx = $2 and from_sx <> $2 and ${AT} and from_sx not in (select sx from read.trust_silence_v3 where ${AT}))
    select o.sx, exists (select from read.trust_edges_v3 where from_sx = $2 and to_sx = o.sx and ${AT}) as mutual,
      exists (select from read.trust_scores_v3 s where s.day = $3 and s.sx = o.sx and s.base > 0) as independent
    from others o`;
  const values = [position, sx, day];
  const { rows } = await pool.query<{ sx: number; mutual: boolean; independent: boolean }>({
    name: "trust_relations",
    text,
    values,
  });
  return {
    independent: rows.filter(({ independent }) => independent).length,
    mutual: new Set(rows.flatMap(({ sx: other, mutual }) => (mutual ? other : []))),
  };
}
