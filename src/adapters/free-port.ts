import { createServer } from "node:net";

/** `wanted` if it is free, otherwise any free port. */
export async function freePort(wanted: number): Promise<number> {
  const listen = (port: number) =>
    new Promise<number>((done, fail) => {
      const probe = createServer().once("error", fail);
      probe.listen(port, "127.0.0.1", () => {
        const address = probe.address();
        probe.close(() => done(typeof address === "object" && address ? address.port : 0));
      });
    });
  return listen(wanted).catch(() => listen(0));
}
