/** A line between two processes that can be broken: what comes in on a port goes on to another place, unless it is stalled, reset or refused. */
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import pg from "pg";

/** `stall`: nothing passes, and nobody is told. `reset`: all connections are reset, new ones pass. `refuse`: they are reset, and so is each new one. */
export type Fault = "stall" | "reset" | "refuse";

export type BreakingLine = {
  port: number;
  /** Until it is mended; a reset mends itself. */
  breaks(fault: Fault): void;
  mend(): void;
  close(): void;
};

/** A line to a port of this machine, or to a socket; `host` is where it begins. */
export async function breakingLine(
  target: { port: number } | { path: string },
  host = "127.0.0.1",
): Promise<BreakingLine> {
  const pairs = new Set<[Socket, Socket]>();
  let fault: Fault | undefined;
  const resetAll = () => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy();
      // A socket of a file cannot be reset.
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
    // A connection that begins on a line that stalls is taken, and hears nothing.
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

/** A line to the database of an address, and the address of that database by it. */
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
