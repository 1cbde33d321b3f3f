import { paymentGauges } from "../api/describe/gauges/payments.ts";
import { channelStatus } from "../api/operations/payments/channels.ts";
import { paymentOperations } from "../api/operations/payments/ledger.ts";
import { x402Operations } from "../api/operations/payments/x402.ts";
import * as account from "../domain/payments/account.ts";
import * as channel from "../domain/payments/channel.ts";
import * as confirmation from "../domain/payments/confirmation.ts";
import * as payment from "../domain/payments/payment.ts";
import { paymentProblems } from "../domain/payments/problems.ts";
import { accountsProjection } from "../projections/payments/accounts.ts";
import { channelsProjection } from "../projections/payments/channels.ts";
import { paymentsProjection } from "../projections/payments/payments.ts";
import { accountsReactor } from "../reactors/payments/accounts.ts";
import { channelsReactor } from "../reactors/payments/channels.ts";
import { paymentsReactor } from "../reactors/payments/reactor.ts";
import type { Area } from "./area.ts";

export const payments: Area = {
  name: "payments",
  about: "Paying per call: x402, refunds and the public revenue ledger",
  envelope: "success",
  entities: [payment, confirmation, account, channel],
  projections: [paymentsProjection, accountsProjection, channelsProjection],
  reactors: [paymentsReactor(), accountsReactor, channelsReactor()],
  operations: [...x402Operations, ...paymentOperations, channelStatus],
  problems: paymentProblems,
  gauges: paymentGauges,
};
