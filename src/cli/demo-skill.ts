/** The demo of skills: an agent orders two runs, cancels one for a refund, and reruns the other from its record. */
import type { LocalAccount } from "viem/accounts";
import { z } from "zod";
import { rerun } from "../api/operations/skills/rerun.ts";
import { refuse } from "../core/model/refusal.ts";
import { walletTenant } from "../domain/payments/payment.ts";
import { decimalUsdc } from "../domain/payments/usdc.ts";
import { openCurrent } from "../operator/keep-open.ts";
import { COMMAND } from "./command-name.ts";
import { ask, buy, fetchAnswer, ownersProof, parsed, type SignedPayment, sign } from "./demo-buyer.ts";
import { idOf } from "./demo-proof.ts";
import type { DemoService } from "./demo-service.ts";
import { tell } from "./demo-story.ts";
import { stories } from "./stories.ts";

const RUN = "/v1/agent/skills/run";
const TASK = {
  agent: "strategist",
  task: "How dependent is Latvia on imports of mineral fuels, and who could replace them?",
  format: "json",
};
/** A worker may start before the cancellation; then another run is ordered. */
const MOST_TRIES = 5;

const execution = z.looseObject({
  data: z.looseObject({
    execution_id: z.string(),
    status: z.string(),
    refund_usdc: z.string(),
    result_sha256: z.string().nullable(),
    steps: z.array(z.looseObject({ step: z.string(), operation: z.string(), ms: z.number() })),
    result: z
      .looseObject({
        report: z.looseObject({
          facts: z.array(z.unknown()),
          sections: z.array(z.looseObject({ findings: z.array(z.looseObject({ text: z.string() })) })),
        }),
      })
      .nullable(),
  }),
});
type ShownExecution = z.infer<typeof execution>["data"];

const paymentShown = z.looseObject({
  data: z.looseObject({
    refund: z.looseObject({ amount_usdc: z.string(), status: z.string() }).nullable(),
  }),
});

export async function runSkills({ url, app }: DemoService, wallet: LocalAccount): Promise<void> {
  if (!app)
    return refuse(
      "forbidden",
      "the run repeats from the log, and this machine has no access to that service's database",
    );
  tell.step(1, "The price", `POST ${RUN}`);
  const offer = await ask(url + RUN, { body: TASK }, stories.skill.most);
  if (!app.embedded_chain)
    return refuse("forbidden", "this story pays only play money: start a development chain by `npm start`");
  tell.line("402", `${decimalUsdc(offer.amount_micro)} USDC`);

  tell.step(2, "A skill runs", `${TASK.agent}: ${TASK.task}`);
  const { shown: first } = await bought(url, wallet, TASK);
  for (const { step, operation, ms } of first.steps) tell.line(step, `${operation}, ${ms} ms`);
  const { facts = [], sections = [] } = first.result?.report ?? {};
  for (const { text } of sections.flatMap(({ findings }) => findings).slice(0, 3)) tell.line("says", text);
  tell.finding({
    ok: first.status === "finished" && facts.length > 0,
    says: `${first.status}, ${facts.length} facts, execution ${first.execution_id}`,
  });

  tell.step(3, "Another is cancelled", "DELETE /v1/agent/skills/executions/{execution_id}");
  const { cancelled, payment } = await givenUp(url, wallet);
  tell.line(cancelled.status, `${cancelled.execution_id}, before any step was done`);

  tell.step(4, "The cancelled one is refunded", "GET /v1/agent/payments/{id}");
  const { data } = await fetchAnswer(`${url}/v1/agent/payments/${idOf(payment)}`, paymentShown);
  tell.finding({
    ok: data.refund !== null && Number(data.refund.amount_usdc) === Number(cancelled.refund_usdc),
    says: `refund of ${data.refund?.amount_usdc ?? "0"} USDC, ${data.refund?.status ?? "none"}: sent once the payment is final`,
  });

  tell.step(5, "The first, run again", `${COMMAND} rerun ${first.execution_id}`);
  await openCurrent(app, (dataset, { message }) =>
    refuse("unavailable", `${dataset} cannot be opened: ${message}`),
  );
  const tenant = walletTenant(wallet.address.toLowerCase() as `0x${string}`);
  const named = { tenant, execution_id: first.execution_id };
  const again = await rerun(app, named, { signal: AbortSignal.timeout(60_000) });
  for (const { step, operation, same } of again.steps)
    tell.finding({ ok: same, says: `${step} (${operation})` });
  tell.finding({
    ok: again.same,
    says: `${again.again_sha256}: ${again.same ? "byte for byte the same" : "another result"}`,
  });
  if (!again.same || data.refund === null) process.exitCode = 1;
}

/** Pays for a skill's run. */
async function bought(
  url: string,
  wallet: LocalAccount,
  body: object,
): Promise<{ shown: ShownExecution; payment: SignedPayment }> {
  const offer = await ask(url + RUN, { body }, stories.skill.most);
  const payment = await sign(wallet, offer);
  const { body: text } = await buy(url + RUN, payment, { body, hurried: true });
  const read = execution.safeParse(parsed(text));
  if (!read.success) return refuse("unprocessable", `${url} answered the payment without an execution`);
  return { shown: read.data.data, payment };
}

/** Orders a run and cancels it at once; repeats if the worker was faster. */
async function givenUp(
  url: string,
  wallet: LocalAccount,
): Promise<{ cancelled: ShownExecution; payment: SignedPayment }> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { shown, payment } = await bought(url, wallet, { ...TASK, wait_s: 0 });
    const path = `/v1/agent/skills/executions/${shown.execution_id}`;
    const answer = await fetch(url + path, {
      method: "DELETE",
      headers: { "SIGN-IN-WITH-X": await ownersProof(wallet, url, path, "DELETE") },
    });
    const read = execution.safeParse(parsed(await answer.text()));
    if (answer.ok && read.success && Number(read.data.data.refund_usdc) > 0)
      return { cancelled: read.data.data, payment };
    tell.line("", "The worker finished first; trying another execution.");
  }
  return refuse("unavailable", "the worker was faster than each cancellation");
}
