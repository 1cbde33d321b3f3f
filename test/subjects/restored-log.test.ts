/**
 * A lost log is restored, with the vault of now or of then: erased subjects stay erased as far as either has the
 * erasure.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { addToBackup } from "../../eventstore/files/backup.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { areas } from "../../src/areas/index.ts";
import { mailSubject } from "../../src/core/model/sealed.ts";
import { copyOfDatabase, type FreshDatabase, freshDatabase } from "../support/database.ts";
import { elsewhere } from "../support/elsewhere.ts";
import { type Service, startService } from "../support/service.ts";
import { letters } from "./letters.ts";
import { tablesWith } from "./traces.ts";

type Letter = { letter_id: string; to: { mail: string } | null; erased: boolean };

const withLetters = [...areas, letters];
const PEOPLE = { early: "early@example.org", late: "late@example.org", stays: "stays@example.org" };
type Person = keyof typeof PEOPLE;

let folder: string;
let signing_key: string;
let secrets: Record<string, string>;
let headers: Record<string, string>;
/** The vault from before both erasures, and the one after them. */
let yesterday: FreshDatabase;
let vault: FreshDatabase;
const ids = {} as Record<Person, string>;
const written = {} as Record<Person, string>;

async function call<T>({ url }: Service, path: string, body?: object): Promise<{ status: number; data: T }> {
  const answer = await fetch(`${url}/v1/agent/${path}`, {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: { ...headers, "Content-Type": "application/json" },
  });
  return { status: answer.status, data: ((await answer.json()) as { data: T }).data };
}
const write = (to: Service, mail: string) =>
  call<Letter>(to, "letters", { mail, address: "Brivibas iela 71-3" });
const read = async (of: Service, person: Person) =>
  (await call<Letter>(of, `letters/${written[person]}`)).data;
const erase = async (at: Service, person: Person) =>
  (await call(at, "commerce/erase", { email: PEOPLE[person] })).status;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tallystick-restored-log-"));
  vault = await freshDatabase();
  const service = await startService({ vault: vault.url, areas: withLetters });
  try {
    ({ headers } = await service.issue({ tenant: "acme" }));
    for (const [person, mail] of Object.entries(PEOPLE) as [Person, string][]) {
      written[person] = (await write(service, mail)).data.letter_id;
      ids[person] = (await service.app.subjects.find(mailSubject("acme", mail)))!;
    }
    yesterday = await copyOfDatabase(vault);
    expect(await erase(service, "early")).toBe(200);
    await addToBackup(service.app.pool, folder, { log_id: MAIN_LOG });
    expect(await erase(service, "late")).toBe(200);
    const secret = async (name: string) => (await readFile(join(service.data_dir, name), "utf8")).trim();
    signing_key = await secret("signing.key");
    secrets = {
      SUBJECT_MASTER_KEY: await secret("subjects-master.key"),
      SUBJECT_PEPPER: await secret("subjects-pepper.key"),
    };
  } finally {
    await service.stop();
  }
});
afterAll(async () => {
  await yesterday?.drop();
  await vault?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The log of the backup, which has only the first erasure, with a vault. */
async function restoredBeside({ url }: FreshDatabase): Promise<Service> {
  const { restore, start } = await elsewhere(signing_key, { ...secrets, SUBJECT_KEYS_URL: url });
  expect((await restore(folder)).contradiction).toBeNull();
  const service = await start({ vault: url, areas: withLetters, env: secrets });
  onTestFinished(() => service.stop());
  return service;
}

test("a subject whose key the vault lacks stays erased, though the restored log has no record, and is new on return", async () => {
  const service = await restoredBeside(vault);
  for (const person of ["early", "late"] as const)
    expect(await read(service, person)).toMatchObject({ to: null, erased: true });
  expect(await read(service, "stays")).toMatchObject({ to: { mail: PEOPLE.stays }, erased: false });
  expect(await erase(service, "late")).toBe(404);
  expect((await write(service, PEOPLE.late)).data).toMatchObject({ to: { mail: PEOPLE.late } });
  expect(await service.app.subjects.find(mailSubject("acme", PEOPLE.late))).not.toBe(ids.late);
  expect(await read(service, "late")).toMatchObject({ to: null, erased: true });
});

test("a subject with an erasure in the restored log is erased again in an older vault; one in neither needs a new request", async () => {
  for (const id of Object.values(ids))
    expect(await tablesWith(yesterday.url, id)).toEqual(["subject_keys.subjects"]);
  const service = await restoredBeside(yesterday);
  expect(await tablesWith(yesterday.url, ids.early)).toEqual([]);
  expect(await read(service, "early")).toMatchObject({ to: null, erased: true });
  expect(await read(service, "stays")).toMatchObject({ to: { mail: PEOPLE.stays }, erased: false });
  expect(await read(service, "late")).toMatchObject({ erased: false });
  expect(await erase(service, "late")).toBe(200);
  expect(await read(service, "late")).toMatchObject({ to: null, erased: true });
  expect(await tablesWith(yesterday.url, ids.late)).not.toContain("subject_keys.subjects");
});

test("an empty vault is refused for a restored log with sealed values; the right vault is then accepted", async () => {
  const empty = await freshDatabase();
  onTestFinished(() => empty.drop());
  const { restore, start } = await elsewhere(signing_key, secrets);
  expect((await restore(folder)).contradiction).toBeNull();
  const beside = ({ url }: FreshDatabase, env: Record<string, string> = {}) =>
    start({ vault: url, areas: withLetters, env: { ...secrets, ...env } });
  await expect(beside(empty)).rejects.toThrow(/is an empty vault, but another vault seals/);
  const service = await beside(vault);
  onTestFinished(() => service.stop());
  expect(await read(service, "stays")).toMatchObject({ to: { mail: PEOPLE.stays }, erased: false });
});

test("an operator who has lost the vault for good confirms it, and continues without the sealed values", async () => {
  const empty = await freshDatabase();
  onTestFinished(() => empty.drop());
  const { restore, start } = await elsewhere(signing_key, secrets);
  await restore(folder);
  const env = { ...secrets, SUBJECT_KEYS_ANEW: "1" };
  const service = await start({ vault: empty.url, areas: withLetters, env });
  onTestFinished(() => service.stop());
  expect(await read(service, "stays")).toMatchObject({ to: null, erased: true });
  expect((await write(service, PEOPLE.stays)).data).toMatchObject({ to: { mail: PEOPLE.stays } });
});
