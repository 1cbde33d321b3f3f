/** Runs the calls of one channel one after another, because each voucher adds to the sum of the previous one. */
import { refusePayment } from "../x402/payment-refusal.ts";

const MOST_WAITING = 100;

export type Turns = { take<T>(id: string, work: () => Promise<T>): Promise<T> };

export function createTurns(): Turns {
  const queues = new Map<string, { last: Promise<unknown>; count: number }>();
  return {
    async take(id, work) {
      const queue = queues.get(id) ?? { last: Promise.resolve(), count: 0 };
      if (queue.count >= MOST_WAITING)
        refusePayment(
          "invalid_batch_settlement_evm_channel_busy",
          `${MOST_WAITING} calls of this channel wait already: call again with the same voucher`,
        );
      queue.count += 1;
      queues.set(id, queue);
      const turn = queue.last.then(work);
      queue.last = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        queue.count -= 1;
        if (queue.count === 0) queues.delete(id);
      }
    },
  };
}
