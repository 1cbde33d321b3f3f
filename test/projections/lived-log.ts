/** A log that lived: each operation that appends is asked its example once, and agents pay, work and speak. */
import { effectOf } from "../../src/api/operation.ts";
import { areas } from "../../src/areas/index.ts";
import { type Driven, isBought } from "../contract/driven.ts";
import { buy } from "../support/buyer.ts";
import { catalogue } from "../support/catalogue.ts";
import { until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";

export async function liveThrough(driven: Driven): Promise<void> {
  const { app } = driven.service;
  for (const operation of catalogue) {
    if (effectOf(operation).changes === "nothing" && !isBought(operation)) continue;
    await driven.renew(operation);
    const request = driven.asked(operation, driven.exampleFor(operation), driven.credentialsFor(operation));
    const answer = isBought(operation) ? (await buy(wallet(1), ...request)).answer : await fetch(...request);
    const text = await answer.text();
    if (answer.status >= 400) console.log(operation.name, answer.status, text.slice(0, 200));
  }
  const { position } = await app.store.head();
  for (const projection of areas.flatMap(({ projections }) => projections))
    await until(() => app.runner.reached(projection, position, 10_000));
}
