/**
 * Network namespaces, each joined to this one by a pair of veth devices, to drop packets between processes without
 * notice. Needs root, `ip` and `nft`.
 */
import { execFileSync, spawnSync } from "node:child_process";

export type Namespace = {
  /** The prefix of a command that runs there. */
  enter: readonly string[];
  /** Its own address, and that of this side. */
  host: string;
  gateway: string;
  /** Drops packets to and from a TCP port, on either side, until `mend`. */
  drop(port: number): void;
  mend(): void;
  remove(): void;
};

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });

/** The namespace of this number, 1 to 250. */
export function openNamespace(number: number): Namespace {
  const name = `tallystick-${number}`;
  const [near, far] = [`tally${number}a`, `tally${number}b`];
  const [gateway, host] = [`10.77.${number}.1`, `10.77.${number}.2`];
  const enter = ["ip", "netns", "exec", name];
  const [ip, ...inside] = enter as [string, ...string[]];
  // Leftovers of a killed run.
  for (const left of [`ip netns delete ${name}`, `ip link delete ${near}`]) spawnSync(left, { shell: true });
  run("ip", "netns", "add", name);
  run("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name);
  run("ip", "address", "add", `${gateway}/24`, "dev", near);
  run("ip", "link", "set", near, "up");
  run(ip, ...inside, "ip", "address", "add", `${host}/24`, "dev", far);
  for (const device of ["lo", far]) run(ip, ...inside, "ip", "link", "set", device, "up");
  const nft = (rules: string) => run(ip, ...inside, "nft", rules);
  nft(`add table inet cut
    add chain inet cut out { type filter hook output priority 0 ; }
    add chain inet cut in { type filter hook input priority 0 ; }`);
  return {
    enter,
    host,
    gateway,
    drop: (port) =>
      nft(
        ["out", "in"]
          .flatMap((chain) =>
            ["sport", "dport"].map((end) => `add rule inet cut ${chain} tcp ${end} ${port} drop`),
          )
          .join("\n"),
      ),
    mend: () => nft("flush chain inet cut out\nflush chain inet cut in"),
    remove: () => run("ip", "netns", "delete", name),
  };
}
