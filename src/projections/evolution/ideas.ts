/** Current ideas, for the operator, and for comparing drafts. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
import type { Idea, IdeaEvent } from "../../domain/evolution/idea.ts";
import * as idea from "../../domain/evolution/idea.ts";

export const ideasProjection = projection({
  name: "ideas",
  version: 2,
  ddl: `
    create table if not exists read.ideas_v2 (
      idea_id      bigint primary key,
      tenant       text not null,
      status       text not null,
      target_file  text,
      text_sha256  text not null,
      draft_sha256 text,
      draft_bytes  int,
      proposed_at  timestamptz not null,
      position     bigint not null
    );
    create index if not exists ideas_v2_file on read.ideas_v2 (target_file, position desc);`,
  of: [idea],
  async fold(events, tx) {
    for (const { id, tenant, position, ...event } of events) {
      if (event.type !== "ImprovementProposed") {
        await tx.query("update read.ideas_v2 set status = $2 where idea_id = $1", [id, statusAfter(event)]);
        continue;
      }
      const { target_file, text_sha256, draft_sha256, draft_bytes, proposed_at } = event.data;
      const row = [id, tenant, target_file, text_sha256, draft_sha256, draft_bytes, proposed_at, position];
      await tx.query("insert into read.ideas_v2 values ($1, $2, 'proposed', $3, $4, $5, $6, $7, $8)", row);
      const digests = [text_sha256, draft_sha256].filter((digest) => digest !== null);
      const kept = digests.map((digest) => idea.objectOf(Number(id), digest));
      await tx.query("update objects.small set keep_until = 'infinity' where name = any($1)", [kept]);
    }
  },
});

function statusAfter(event: Exclude<IdeaEvent, { type: "ImprovementProposed" }>): Idea["status"] {
  switch (event.type) {
    case "ImprovementChecked":
      return event.data.verdict;
    case "ImprovementAccepted":
      return "accepted";
    case "ImprovementDeclined":
      return "declined";
    case "ImprovementLanded":
      return "landed";
  }
}

export type IdeaRow = {
  idea_id: number;
  tenant: string;
  status: Idea["status"];
  target_file: string | null;
  text_sha256: string;
  draft_sha256: string | null;
  draft_bytes: number | null;
  proposed_at: string;
};

const COLUMNS = `i.idea_id::float8 as idea_id, tenant, status, target_file, text_sha256, draft_sha256, draft_bytes,
  ${utc("i.proposed_at")} as proposed_at`;

/** The newest first. */
export async function listIdeas(pool: pg.Pool, status?: string): Promise<IdeaRow[]> {
  const sql = `select ${COLUMNS} from read.ideas_v2 i where $1::text is null or status = $1 order by position desc limit 500`;
  return (await pool.query<IdeaRow>(sql, [status ?? null])).rows;
}

export async function findIdea(pool: pg.Pool, idea_id: number): Promise<IdeaRow | undefined> {
  const sql = `select ${COLUMNS} from read.ideas_v2 i where i.idea_id = $1`;
  return (await pool.query<IdeaRow>(sql, [idea_id])).rows[0];
}

/** The newest drafts that were proposed for a file before an idea was. */
export async function ideasBefore(
  pool: pg.Pool,
  { idea_id, target_file, limit }: { idea_id: number; target_file: string; limit: number },
): Promise<(IdeaRow & { draft_sha256: string })[]> {
  const sql = `select ${COLUMNS} from read.ideas_v2 i where target_file = $2 and i.idea_id <> $1
    and draft_sha256 is not null and position < coalesce((select position from read.ideas_v2 where idea_id = $1), 9223372036854775807)
    order by position desc limit $3`;
  return (await pool.query<IdeaRow & { draft_sha256: string }>(sql, [idea_id, target_file, limit])).rows;
}
