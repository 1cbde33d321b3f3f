/**
 * One of two processes that race over one mail address: WRITES seals for it repeatedly, the other erases it
 * repeatedly.
 */
import { randomBytes } from "node:crypto";
import { areas } from "../../src/areas/index.ts";
import { transact } from "../../src/core/commands/transact.ts";
import { mailSubject } from "../../src/core/model/sealed.ts";
import { eraseSubject } from "../../src/reactors/subjects/erasure.ts";
import { openRuntime } from "../../src/runtime/assemble.ts";
import { silent } from "../support/doomed.ts";
import { patientConfig } from "../support/patience.ts";
import { until } from "../support/until.ts";
import { copy, letter, letters, placeOf, write } from "./letters.ts";

const { WRITES, TURNS, MAIL, ...env } = process.env;
const { app, close } = await openRuntime(patientConfig(env), silent, {
  chain: false,
  areas: [...areas, letters],
});
const subject = mailSubject("acme", MAIL!);
const meta = { actor: "test" };

/** A letter, and a copy for the same person and another one, in one commit. */
async function writeOne(): Promise<void> {
  const id = randomBytes(16).toString("hex");
  await transact(app.unit, { meta }, async ({ decide, personal }) => {
    const place = placeOf("acme", id);
    const other = mailSubject("acme", "bystander@example.org");
    const value = { mail: MAIL!, address: "Riga" };
    const copied = { ...place, type: "LetterCopied" };
    const to = personal({ subject, place, value });
    const again = personal({ subject, place: copied, value });
    const bystander = { mail: "bystander@example.org", address: "Cesis" };
    const beside = personal({ subject: other, place: copied, value: bystander });
    await decide(letter, { tenant: "acme", id }, write({ letter_id: id, words: 1, to }));
    await decide(letter, { tenant: "acme", id }, copy([again, beside]));
  });
}

// However late it starts, there is somebody to erase.
if (!WRITES) await until(async () => (await app.subjects.find(subject)) !== undefined);
let erased = 0;
for (let turn = 0; turn < Number(TURNS); turn++) {
  if (WRITES) await Promise.all([writeOne(), writeOne()]);
  else if (await eraseSubject(app, subject, { by: "owner", meta })) erased++;
}
await close();
process.stdout.write(JSON.stringify({ erased }));
