/** Pays airdrops, and ends itself as kill -9 would at the step named by DIES_AT. */
import { takeWalletTurn } from "../../src/reactors/wallet/start.ts";
import { openDoomed, silent } from "../support/doomed.ts";

const app = await openDoomed({
  before: { AirdropSent: "before it is said" },
  after: { AirdropPaid: "after it is recorded" },
});
await takeWalletTurn(app, { log: silent });
