/** Records the packs of docs/vectors anew, with anchors of a new chain: `npx tsx test/audit/record-vectors.ts`. */
import { writeFileSync } from "node:fs";
import { openWorkshop } from "../chain/fixture.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import { anchorsOn } from "./pack-builder.ts";
import { ANCHORED, PACKS, packText, packVerdicts, VECTORS } from "./vectors.ts";

const workshop = await openWorkshop();
try {
  const anchors = await anchorsOn(workshop, ORIGIN, log(), ANCHORED);
  for (const name of Object.keys(PACKS)) writeFileSync(new URL(name, VECTORS), packText(name, anchors));
  writeFileSync(new URL("packs.json", VECTORS), `${JSON.stringify(packVerdicts(anchors), null, 2)}\n`);
  // Loaded only now, because these use the packs that were just written.
  const { forgedText } = await import("./forged-vectors.ts");
  writeFileSync(new URL("forged.json", VECTORS), forgedText());
} finally {
  await workshop.close();
}
