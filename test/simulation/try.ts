/**
 * Plays seeds by hand: `npx tsx test/simulation/try.ts <world> <first seed> <how many> [name of a fault]`. One seed alone also prints
 * what happened.
 */
import { compile } from "./compile.ts";
import { faults } from "./faults.ts";
import type { WorldName } from "./worlds.ts";

const [world = "payments", first = "1", many = "1", name] = process.argv.slice(2);
const fault = faults.find((one) => one.name === name);
if (name !== undefined && !fault)
  throw new Error(`no fault is called "${name}": ${faults.map((one) => one.name).join(", ")}`);
const { worlds, shrink, linesOf } = await compile(fault);
const { simulate } = worlds[world as WorldName];
const begun = process.cpuUsage();
let failed = 0;
for (let seed = Number(first); seed < Number(first) + Number(many); seed++) {
  const { violations, trace } = await simulate(seed);
  if (Number(many) === 1) console.log(trace.join("\n"));
  if (violations.length === 0) continue;
  failed++;
  console.log(
    `seed ${seed}: ${violations.join("; ")}\n${linesOf(await shrink(world as WorldName, seed)).join("\n")}`,
  );
  if (fault) break;
}
const { user, system } = process.cpuUsage(begun);
console.log(
  `${failed} of ${many} seeds failed, in ${((user + system) / 1e6).toFixed(1)} s of processor time`,
);
