/** HAProxy with docker/haproxy.cfg, in front of two processes of the service. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../src/adapters/free-port.ts";

const CONFIG = fileURLToPath(new URL("../docker/haproxy.cfg", import.meta.url));

/** Starts it, and waits until it forwards calls to a process. */
export async function startProxy(
  services: readonly { url: string }[],
): Promise<{ url: string; stop(): Promise<void> }> {
  const [ONE, TWO, ...others] = services.map(({ url }) => new URL(url).host);
  if (!ONE || !TWO || others.length > 0) throw new Error("docker/haproxy.cfg names two processes");
  const BIND = `127.0.0.1:${await freePort(0)}`;
  const env = { ...process.env, ONE, TWO, BIND };
  const child = spawn("haproxy", ["-f", CONFIG], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  const url = `http://${BIND}`;
  const isReady = () =>
    fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady()))
    await Promise.race([pause(100), ended.then(() => Promise.reject(new Error("haproxy has ended")))]);
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
