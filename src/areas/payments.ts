import { paymentOperations } from "../api/operations/payments/ledger.ts";
import { x402Operations } from "../api/operations/payments/x402.ts";
import * as confirmation from "../domain/payments/confirmation.ts";
import * as payment from "../domain/payments/payment.ts";
import { paymentProblems } from "../domain/payments/problems.ts";
import { paymentsProjection } from "../projections/payments/payments.ts";
import { paymentsReactor } from "../reactors/payments/reactor.ts";
import type { Area } from "./area.ts";

export const payments: Area = {
  name: "payments",
  about: "Paying per call: x402, refunds and the public revenue ledger",
  envelope: "success",
  entities: [payment, confirmation],
  projections: [paymentsProjection],
  reactors: [paymentsReactor()],
  operations: [...x402Operations, ...paymentOperations],
  problems: paymentProblems,
};
