/**
 * The database's disk fills up under a running service: callers are told, nothing is half done, and it recovers
 * once there is space.
 */
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppendUnknown, StoreUnavailable } from "../eventstore/errors.ts";
import { type EmbeddedPostgres, embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { refusalOf } from "../src/api/serve/problem.ts";
import { areas } from "../src/areas/index.ts";
import { coreProblems } from "../src/core/model/problem.ts";
import { Refusal } from "../src/core/model/refusal.ts";
import { paymentProblems } from "../src/domain/payments/problems.ts";
import { parcel, parcels } from "./areas/parcels.ts";
import { onServer } from "./support/database.ts";
import { type Service, startService } from "./support/service.ts";
import { until } from "./support/until.ts";

const coded = (code: string) => Object.assign(new Error("it failed"), { code });
test.each([
  [coded("53100"), "no-room"],
  [coded("ENOSPC"), "no-room"],
  [coded("EDQUOT"), "no-room"],
  [new StoreUnavailable("the event log is away", { cause: coded("53100") }), "no-room"],
  [new Error("IO Error: Could not write file: No space left on device"), "no-room"],
  [new Refusal("unavailable", "quotas cannot be counted", { cause: coded("53100") }), "no-room"],
  [new Refusal(paymentProblems["payment-pending"], "pending", { cause: coded("53100") }), "payment-pending"],
  [new Refusal("unavailable", "the file is away"), "unavailable"],
  [new AppendUnknown("the connection was lost", { cause: coded("53100") }), "unavailable"],
  [coded("53300"), "unavailable"],
  [coded("EACCES"), undefined],
])("%j is reported as %s", (error, slug) => {
  const refusal = refusalOf(error);
  expect(refusal?.type.slug).toBe(slug);
  if (slug === "no-room") expect(refusal).toMatchObject({ retry_after_s: 30, type: coreProblems["no-room"] });
});

/** A disk of 64 MB, if this machine and its account can mount one. */
async function smallDisk(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    await rm(folder, { recursive: true });
    console.warn("no small disk can be mounted here: none is run full");
    return undefined;
  }
}

const disk = await smallDisk();
afterAll(async () => {
  if (!disk) return;
  execFileSync("umount", ["--lazy", disk]);
  await rm(disk, { recursive: true });
});

describe.skipIf(!disk)("a full disk", () => {
  let dir: string;
  let server: EmbeddedPostgres;
  let services: Service[];
  /** The first operation is counted per call, the second is not. */
  let keys: { Authorization: string }[];
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "tallystick-no-room-"));
    await chmod(dir, 0o755);
    server = await embeddedPostgres({ dir: join(dir, "postgres") });
    const { uid, gid } = await stat(join(dir, "postgres"));
    execFileSync("chown", [`${uid}:${gid}`, disk!]);
    await onServer(`create tablespace small location '${disk}'`, server.ownerUrl);
    await onServer("create database small tablespace small", server.ownerUrl);
    const url = new URL(server.ownerUrl);
    url.pathname = "/small";
    const those = { areas: [...areas, parcels], reactors: true };
    const first = await startService({ ...those, database_url: url.href });
    services = [first, await startService({ ...those, beside: first })];
    keys = [(await first.issue({ daily: 1_000_000 })).headers, (await first.issue()).headers];
  });
  afterAll(async () => {
    for (const service of services.toReversed()) await service.stop();
    await server.leave();
    await rm(dir, { recursive: true, force: true });
  });

  const filling = () => join(disk!, "filling");
  const fill = () => {
    // It ends with an error, because the disk is full.
    try {
      execFileSync("dd", ["if=/dev/zero", `of=${filling()}`, "bs=4k"], { stdio: "ignore" });
    } catch {}
  };

  const nameOf = (n: number) => `p${[...String(n)].map((digit) => "abcdefghij"[Number(digit)]).join("")}`;
  const send = (n: number) =>
    fetch(`${services[n % 2]!.url}/v1/agent/parcels`, {
      method: "POST",
      headers: {
        ...keys[n % 3 === 0 ? 0 : 1],
        "Content-Type": "application/json",
        "Idempotency-Key": `parcel-${n}`,
      },
      body: JSON.stringify({ name: nameOf(n) }),
    });
  /** The log has everything that was sent and not refused, once, and nothing else. */
  const sent = async () => {
    const { rows } = await services[0]!.app.pool.query<{ stream_id: string; n: number }>(
      "select stream_id, count(*)::int as n from eventstore.events where type = 'ParcelSent' group by 1",
    );
    expect(rows.every(({ n }) => n === 1)).toBe(true);
    return new Set(rows.map(({ stream_id }) => stream_id));
  };

  test("commands are 503 no-room with Retry-After, also when repeated; later the same calls succeed once each, and read models and reactors follow", async () => {
    let next = 0;
    for (let round = 0; round < 2; round++) {
      const first = next;
      fill();
      const refused: number[] = [];
      await until(async () => {
        const these = [next++, next++, next++, next++];
        await Promise.all(
          these.map(async (n) => {
            const answer = await send(n);
            if (answer.status === 201) return;
            expect(await answer.json()).toMatchObject({
              type: `${services[n % 2]!.url}/problems#no-room`,
              status: 503,
              detail: expect.stringContaining("nothing of this call was recorded or charged"),
            });
            expect(answer.status).toBe(503);
            expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
            refused.push(n);
          }),
        );
        // Both of a call's ways to the disk have been refused.
        return refused.some((n) => n % 3 === 0) && refused.some((n) => n % 3 !== 0);
      });
      const standing = await sent();
      for (let n = first; n < next; n++)
        expect(standing.has(parcel.streamOf(nameOf(n)))).toBe(!refused.includes(n));
      await rm(filling());
      for (const n of refused) expect((await send(n)).status).toBe(201);
      // Repeated, each has the same answer.
      for (const n of refused) expect((await send(n)).status).toBe(201);
      expect((await sent()).size).toBe(next);
      await until(async () => {
        const { rows } = await services[round]!.app.pool.query<{ n: number }>(
          "select count(*)::int as n from read.parcels_v1 where delivered",
        );
        return rows[0]!.n === next;
      });
    }
    const problems = await (await fetch(`${services[0]!.url}/problems`)).text();
    expect(problems).toContain('<h2 id="no-room">');
  });
});
