import { canonicalText } from "../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../eventstore/types.ts";
import type { App } from "../../core/app.ts";
import type { AddressLimits, CallLimit } from "../../core/model/ports/address-limits.ts";
import { coreProblems } from "../../core/model/problem.ts";
import { Refusal, refuse, refuseField } from "../../core/model/refusal.ts";
import { isSealed, type SignedAct } from "../../domain/identity/act.ts";
import { type Admission, type Credentials, paymentOf } from "../declare/access/way.ts";
import { addressBlock } from "../declare/address.ts";
import { isTest } from "../declare/caller.ts";
import type { Form } from "../declare/forms/form.ts";
import type { Fields, InputReader } from "../declare/input.ts";
import { wantedPosition } from "../declare/log-position.ts";
import { dataNamed } from "../declare/named-vintages.ts";
import type { Operation } from "../declare/operation.ts";
import { effectOf } from "../declare/operation-facts.ts";
import type { Wire } from "../declare/output.ts";
import { type Call, requestDigest } from "./call.ts";
import type { FreeRoom } from "./free-room.ts";
import { LongCall } from "./long-call.ts";
import type { Transport } from "./x402/bazaar.ts";

export type CallRequest = {
  readonly transport: Transport;
  presented: Credentials;
  /** Called after admission. Without a payment, a body is read only if it is small. */
  read: (reader: InputReader, most_bytes?: number) => Fields | Promise<Fields>;
  readonly sent: JsonObject;
  /** True if the input is no larger than a query string may be. */
  is_small: boolean;
  path: string;
  accept: string | undefined;
  wire: Wire;
  idempotency_key: string | undefined;
  if_match: string | undefined;
  if_none_match: string | undefined;
  last_event_id: string | undefined;
  prefers_proof: boolean;
  min_log_position: string | undefined;
  request_id: string;
  signal: AbortSignal;
};

export type ReadParts = {
  app: App;
  limits: AddressLimits;
  room: FreeRoom;
};

export type ReadableOperation = { operation: Operation; reader: InputReader };

/** A call whose data stays leased until `release`. */
export type ReadCall = { call: Call; release(): void };

export async function readCall(
  { app, limits, room }: ReadParts,
  { operation, reader }: ReadableOperation,
  request: CallRequest,
  { form, admitted }: { form: Form; admitted: Admission },
): Promise<ReadCall> {
  const { caller } = admitted;
  const { ip } = request.presented;
  refuseTestMoney(app, operation, admitted);
  const isFree = isFreeWrite(operation, admitted);
  if (isFree) await room.take(caller, ip);
  if (isLargeUnpaid(operation, admitted, request)) refuseLarge(limits, request);
  const input = await readInput(operation, reader, request);
  if (isFree) await room.store(caller, ip, bytesOf(request));
  const min_position = await wantedPosition(app, operation, request.min_log_position);
  admitted.covers?.(request.sent);
  const leased = await dataNamed(app, operation, input);
  try {
    const data = leased?.data ?? app.data;
    const call = callOf({ app, data, operation, input, form, min_position }, admitted, request);
    operation.refuseTo?.({ input: input as never, caller, app, data });
    return { call, release: () => leased?.release() };
  } catch (error) {
    leased?.release();
    throw error;
  }
}

async function readInput(operation: Operation, reader: InputReader, request: CallRequest): Promise<Fields> {
  try {
    return await request.read(reader, operation.body_bytes);
  } catch (error) {
    const isTooLarge = error instanceof Refusal && error.type === coreProblems["too-large"];
    if (!isTooLarge || operation.large_body !== "invalid") throw error;
    return refuse("invalid", error.message, { errors: [{ path: "", message: error.message }] });
  }
}

/** A call that may write, although neither the call nor its task is paid for. */
const isFreeWrite = (operation: Operation, { pays, from_account, caller }: Admission): boolean =>
  effectOf(operation).changes !== "nothing" &&
  !pays &&
  !from_account &&
  !operation.is_paid_work &&
  caller.kind !== "key" &&
  caller.kind !== "internal";

/** The size at which a body is counted. Any small body counts as one kibibyte. */
const bytesOf = ({ is_small, sent }: CallRequest): number =>
  is_small ? 1_024 : Buffer.byteLength(JSON.stringify(sent));

/** Limits large bodies of unpaid calls, because reading them costs as much as in a paid call. */
const LARGE_UNPAID: CallLimit = { name: "large bodies unpaid", calls: 20, per: "minute" };

const isLargeUnpaid = (operation: Operation, { caller }: Admission, { is_small }: CallRequest): boolean =>
  !is_small && paymentOf(operation) !== undefined && caller.kind !== "key";

export function countLarge(
  limits: AddressLimits,
  operation: Operation,
  admitted: Admission | undefined,
  request: CallRequest,
): void {
  if (admitted && isLargeUnpaid(operation, admitted, request))
    limits.add(LARGE_UNPAID, addressBlock(request.presented.ip));
}

function refuseLarge(limits: AddressLimits, { presented: { ip } }: CallRequest): void {
  if (limits.isSpent(LARGE_UNPAID, addressBlock(ip)))
    refuse(
      coreProblems["rate-limited"],
      `${LARGE_UNPAID.calls} large bodies a minute may go unpaid: pay with the call, or put money into the account first`,
      { retry_after_s: 60 },
    );
}

function refuseTestMoney(app: App, { moves_money }: Operation, { caller }: Admission): void {
  if (moves_money && isTest(caller) && !app.embedded_chain)
    refuse("forbidden", "a test key moves no money of a real chain; use a live key, or pay");
}

function callOf(
  of: Pick<Call, "app" | "data" | "operation" | "input" | "form" | "min_position">,
  admitted: Admission,
  request: CallRequest,
): Call {
  const { app, operation, input, form } = of;
  const { caller, confirm } = admitted;
  const { if_none_match, last_event_id, request_id } = request;
  let digest: string | undefined;
  return {
    ...of,
    caller,
    ...(confirm && { confirm }),
    ...(admitted.act && { act: covering(admitted, request) }),
    // Computed on demand, because most calls never need it.
    get request_sha256() {
      const isFollowed = operation.output.kind === "stream" && request.wire === "sse";
      digest ??= requestDigest(operation, input, isFollowed ? "text/event-stream" : form, app.link_secret);
      return digest;
    },
    idempotency_key: nameOf(operation, input, admitted, request),
    if_none_match,
    last_event_id,
    request_id,
    get wire() {
      return request.wire;
    },
    lasting: new LongCall({
      still: admitted.still ?? (async () => {}),
      request: () => request.signal,
      clock: app.clock,
    }),
  };
}

/** The signed text. If it names the SHA-256 of a body, the body is added. */
function covering({ act, covers }: Admission, { sent }: CallRequest): SignedAct {
  const { signed, ...rest } = act!;
  return covers && !isSealed(signed)
    ? { ...rest, signed: { ...signed, body: canonicalText(sent, "body") } }
    : act!;
}

/** The name of the command. Two different names are refused, because they would run it twice. */
function nameOf(
  { named_by }: Operation,
  input: Fields,
  admitted: Admission,
  request: CallRequest,
): string | undefined {
  const field = named_by === undefined ? undefined : (input[named_by] as string | undefined);
  const { idempotency_key: header } = request;
  if (field !== undefined && header !== undefined && field !== header)
    refuseField(named_by!, "must equal Idempotency-Key, or be omitted");
  const given = header ?? field;
  const { idempotency_key: proven } = admitted;
  // The nonce of a proof is the command's only valid name.
  if (proven !== undefined && given !== undefined && given !== proven)
    refuse("invalid", "invalid Idempotency-Key", {
      errors: [{ path: "Idempotency-Key", message: "must equal the nonce of SIGN-IN-WITH-X, or be omitted" }],
    });
  return proven ?? given;
}
