/** Erases a customer of acme, and ends itself as kill -9 would at the step named by DIES_AT. */

import { areas } from "../../src/areas/index.ts";
import { mailSubject } from "../../src/core/model/sealed.ts";
import { eraseSubject } from "../../src/reactors/subjects/erasure.ts";
import { openRuntime } from "../../src/runtime/assemble.ts";
import { aroundCommits, typesOf } from "../support/around-commits.ts";
import { silent } from "../support/doomed.ts";
import { patientConfig } from "../support/patience.ts";
import { letters } from "./letters.ts";

const { DIES_AT, MAIL, ...env } = process.env;
const dieAt = (step: string) => {
  if (DIES_AT === step) process.kill(process.pid, "SIGKILL");
};
const { app } = await openRuntime(patientConfig(env), silent, { chain: false, areas: [...areas, letters] });
const { erase } = app.subjects;
const { forget } = app.answers;
aroundCommits(app.store, async (commit, send) => {
  const types = typesOf(commit);
  for (const type of types) dieAt(`before ${type}`);
  const result = await send();
  for (const type of types) dieAt(`after ${type}`);
  return result;
});
app.subjects.erase = async (ids) => {
  const destroyed = await erase(ids);
  dieAt("after the key is destroyed");
  return destroyed;
};
app.answers.forget = async (id) => {
  const forgotten = await forget(id);
  dieAt("after answers are forgotten");
  return forgotten;
};
await eraseSubject(app, mailSubject("acme", MAIL!), { by: "operator", meta: { actor: "test" } });
