/** Faults that the service had or could have, as replacements in a copy of one function: the product has no switch. */
export type Fault = { name: string; file: string; was: string; is: string };

const FLOW = "src/api/serve/x402/payment-flow.ts";

export const faults: readonly Fault[] = [
  {
    name: "an authorization that a stranger carried first",
    file: FLOW,
    was: 'if (checked.status === "carried") await refuseIfCarriedByOthers(paid);',
    is: "",
  },
  {
    name: "equal payments judged at once",
    file: "src/domain/payments/payment.ts",
    was: `    if (!isFree(state)) refuse(paymentProblems["payment-known"], "this payment was presented before");
    // Both could`,
    is: `    // Both could`,
  },
  {
    name: "a paused process settles what another took over",
    file: "src/domain/payments/payment.ts",
    was: "return isOthers || (state && !isSameCall(state.claim, claim)) ? refuseTakenOver() : decision(state);",
    is: "return isOthers && !state ? refuseTakenOver() : decision(state);",
  },
  {
    name: "a key of a commit that is not looked for",
    file: "src/core/commands/transact.ts",
    was: `  const earlier = await findEarlier(parts.store, command);
  if (earlier) return replay`,
    is: `  const earlier = await findEarlier(parts.store, { meta: command.meta });
  if (earlier) return replay`,
  },
  {
    name: "a transfer that a reorganisation took back stays settled",
    file: "src/reactors/payments/reconcile.ts",
    was: 'if (state.status === "settled" && !gone.has(state.settlement.block_hash)) return [];',
    is: 'if (state.status === "settled") return [];',
  },
  {
    name: "the answer of one call goes to another",
    file: "src/api/serve/x402/presented-status.ts",
    was: '  if (!isSameCall) throw used("this payment was used for another call; sign a new one");\n',
    is: "",
  },
  {
    name: "a reactor sends without asking for its lease",
    file: "src/core/background/reactor.ts",
    was: `        await confirm();
        return settlement.settle(payment, seen_block);`,
    is: `        return settlement.settle(payment, seen_block);`,
  },
  {
    name: "a stale cache decides",
    file: "src/core/commands/stream-cache.ts",
    was: "if (!cached || cached.version <= newer.version) this.#states.set(key, newer);",
    is: "this.#states.set(key, newer);",
  },
];
