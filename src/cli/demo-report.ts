/** The demo of a report: an agent buys a brief, gets it as PDF, and requests each of its figures again. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalAccount } from "viem/accounts";
import { canonical } from "../api/serve/nested-calls.ts";
import { refuse } from "../core/model/refusal.ts";
import { decimalUsdc } from "../domain/payments/usdc.ts";
import { reportFaults } from "../domain/reports/check.ts";
import { repeatQuestions } from "../domain/reports/repeat-questions.ts";
import { detached, report } from "../domain/reports/report.ts";
import { issueKey } from "../operator/keys.ts";
import { ask, buy, get, ownersProof, sign, untilServed } from "./demo-buyer.ts";
import type { DemoService } from "./demo-service.ts";
import { tell } from "./demo-story.ts";
import { askAt } from "./report.ts";
import { stories } from "./stories.ts";

const QUESTION = { hs: "44", region: "LV", years: "2020-2024" };

export async function buyBrief(
  { url, app }: DemoService,
  folder: string,
  wallet: LocalAccount,
): Promise<void> {
  if (!app)
    return refuse("forbidden", "each figure is looked up again with a key; this machine has no access there");
  const path = "/v1/agent/sovereign/brief";
  tell.step(1, "The price", `POST ${path}`);
  const body = { body: QUESTION };
  const offer = await ask(url + path, body, stories.report.most);
  if (!app.embedded_chain)
    return refuse(
      "forbidden",
      "this story pays only with demo money: start a development chain by `npm start`",
    );
  tell.line("402", `${decimalUsdc(offer.amount_micro)} USDC`);

  tell.step(2, "Buying it", JSON.stringify(QUESTION));
  const bought = await buy(url + path, await sign(wallet, offer), { ...body, hurried: true });
  tell.line("paid", bought.settlement.transaction);
  const read = report.safeParse((JSON.parse(bought.body) as { data?: unknown }).data);
  if (!read.success) return refuse("unprocessable", `${url} answered the payment without a report`);
  const brief = read.data;
  tell.line("asks", brief.question);
  for (const { text } of brief.sections.flatMap(({ findings }) => findings).slice(0, 3))
    tell.line("says", text);

  tell.step(3, "The report as PDF", `GET /v1/agent/reports/${brief.report_id}`);
  const place = `/v1/agent/reports/${brief.report_id}`;
  const answer = await untilServed(async () =>
    get(url + place, {
      "SIGN-IN-WITH-X": await ownersProof(wallet, url, place),
      Accept: "application/pdf",
    }),
  );
  if (!answer.ok) return refuse("unprocessable", `${url} answered ${answer.status} instead of the report`);
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${brief.report_id}.pdf`);
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  tell.line("open", file);

  tell.step(4, "The report's facts", "facts.json, from within the PDF");
  const facts = join(folder, `${brief.report_id}.facts.json`);
  await writeFile(facts, canonical(detached(brief)));
  tell.line("facts", `${brief.facts.length} in ${facts}`);

  tell.step(5, "Checking every figure", "tallystick report verify");
  const reader = { tenant: "demo", daily: null, monthly: null, label: "a reader of facts" };
  const issued = await issueKey(app, { ...reader, space: "test", scopes: ["read"] });
  const again = await repeatQuestions(brief, canonical, askAt(url, issued.secret));
  const faults = [...reportFaults(brief, canonical), ...again.faults];
  tell.finding({
    ok: faults.length === 0,
    says: `${brief.facts.length} facts in ${again.questions} questions`,
  });
  for (const { at, says } of faults) tell.finding({ ok: false, says: `${at} ${says}` });
  if (faults.length > 0) process.exitCode = 1;
}
