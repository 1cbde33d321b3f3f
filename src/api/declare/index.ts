/** Everything that an operation's module imports. */
export { account, ownAccount } from "./access/account.ts";
export { free } from "./access/free.ts";
export { internal } from "./access/internal.ts";
export { key } from "./access/key.ts";
export { open, openWhere } from "./access/open.ts";
export { owner } from "./access/owner.ts";
export { pay } from "./access/pay.ts";
export { subject } from "./access/subject.ts";
export { paymentOf, type Usdc } from "./access/way.ts";
export * from "./operation.ts";
export * from "./operation-facts.ts";
export * from "./output.ts";
