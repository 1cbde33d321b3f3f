import type { Server } from "node:http";

const LOOK_MS = 50;

/**
 * Takes no more calls, and resolves once the running ones are answered. A connection that becomes idle after `close`
 * would stay for its keep-alive time, so idle ones are closed again and again. After `most_ms` busy ones are closed, too.
 */
export async function drain(server: Server, most_ms: number): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  const idle = setInterval(() => server.closeIdleConnections(), LOOK_MS);
  const late = setTimeout(() => server.closeAllConnections(), most_ms);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
