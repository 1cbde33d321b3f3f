/** Classifies addresses of the public internet. Source: IANA's special-purpose address registries (RFC 6890). */
import { BlockList, isIP } from "node:net";

/** Not globally reachable, or the machines of one network. */
const SPECIAL_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // A cloud's metadata service, at an address that looks public.
  "168.63.129.16/32",
];

/** Global unicast is 2000::/3. These parts of it are not, or embed an arbitrary IPv4 address. */
const GLOBAL_V6 = "2000::/3";
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const special = listOf([...SPECIAL_V4, ...SPECIAL_V6]);
const globalV6 = listOf([GLOBAL_V6]);

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split("/") as [string, string];
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

/** True for a globally reachable IPv4 or IPv6 address; IPv4 addresses mapped into IPv6 are not. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone (RFC 4007) is in one of this machine's own networks.
  const version = address.includes("%") ? 0 : isIP(address);
  if (version === 4) return !special.check(address, "ipv4");
  return version === 6 && globalV6.check(address, "ipv6") && !special.check(address, "ipv6");
}

/**
 * Names that never resolve to a public host. Source: IANA's special-use domain names (RFC 6761 and others), and
 * ICANN's .internal.
 */
const SPECIAL_NAMES = [
  "localhost",
  "local",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "private",
  "test",
  "invalid",
  "example",
  "onion",
  "alt",
  "arpa",
];

/** True for a host name that public DNS could resolve: two or more labels, under no reserved name. */
export function isPublicName(host: string): boolean {
  const labels = host.toLowerCase().replace(/\.$/, "").split(".");
  return labels.length >= 2 && !SPECIAL_NAMES.includes(labels.at(-1)!);
}
