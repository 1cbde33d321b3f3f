import type { ChannelName } from "../../../chain/channels.ts";
import type { Call } from "../call.ts";
import type { ChannelPayment } from "./payload.ts";

/** A voucher that passed all checks, for a call of this service. */
export type PresentedVoucher = {
  call: Call;
  payment: ChannelPayment;
  name: ChannelName;
  /** The channel's id in the log. */
  id: string;
  price_micro: number;
  resource_sha256: string;
};
