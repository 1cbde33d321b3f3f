/**
 * A breakable line between two processes: it forwards a port to another address, unless it is stalled, reset or
 * refused.
 */
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import pg from "pg";

/**
 * `stall`: nothing passes, without an error. `reset`: all connections are reset, new ones pass. `refuse`: all and
 * new ones are reset.
 */
export type Fault = "stall" | "reset" | "refuse";

export type BreakingLine = {
  port: number;
  /** Until it is repaired; a reset ends by itself. */
  breaks(fault: Fault): void;
  mend(): void;
  close(): void;
};

/** A line to a port of this machine, or to a socket; `host` is its listening address. */
export async function breakingLine(
  target: { port: number } | { path: string },
  host = "127.0.0.1",
): Promise<BreakingLine> {
  const pairs = new Set<[Socket, Socket]>();
  let fault: Fault | undefined;
  const resetAll = () => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy();
      // A Unix socket cannot be reset.
      far.destroy();
    }
  };
  const server = createServer({ noDelay: true }, (near) => {
    if (fault === "refuse") return void near.resetAndDestroy();
    const far = connect(target);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const one of pair) one.on("error", end).on("close", end);
    near.pipe(far).pipe(near);
    // A stalled line accepts a new connection, but sends nothing.
    if (fault === "stall") for (const one of pair) one.unpipe();
  });
  const port = await new Promise<number>((done) =>
    server.listen(0, host, () => done((server.address() as { port: number }).port)),
  );
  return {
    port,
    breaks(kind) {
      if (kind !== "reset") fault = kind;
      if (kind === "stall") for (const pair of pairs) for (const one of pair) one.unpipe();
      else resetAll();
    },
    mend() {
      fault = undefined;
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.pipe(far).pipe(near);
      }
    },
    close() {
      server.close();
      resetAll();
    },
  };
}

/** A line to an address's database, and the database's address through it. */
export async function lineToDatabase(
  url: string,
  from = "127.0.0.1",
): Promise<{ line: BreakingLine; url: string }> {
  const { host, port, user, password, database } = new pg.Client(url);
  const target = host.startsWith("/") ? { path: join(host, `.s.PGSQL.${port}`) } : { port };
  const line = await breakingLine(target, from);
  const entry = `${encodeURIComponent(user!)}:${encodeURIComponent(password!)}`;
  return { line, url: `postgres://${entry}@${from}:${line.port}/${database}` };
}
