/**
 * Network namespaces, joined to this one by a pair of veth devices each, so that packets between a process in one and whatever it speaks to
 * can be dropped without either being told. Needs root, `ip` and `nft`.
 */
import { execFileSync, spawnSync } from "node:child_process";

export type Namespace = {
  /** What goes before the command of a process that runs there. */
  enter: readonly string[];
  /** Its own address, and that of this side. */
  host: string;
  gateway: string;
  /** Drops what goes to or comes from a TCP port, on whichever side that is, until `mend`. */
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
  // What a run that was killed has left behind.
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
