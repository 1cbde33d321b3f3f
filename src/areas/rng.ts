import { rngAnchorOperations } from "../api/operations/rng/anchor.ts";
import { rngProofOperations } from "../api/operations/rng/proof.ts";
import { rngOperations } from "../api/operations/rng/rolls.ts";
import * as commitment from "../domain/rng/commitment.ts";
import { rngProblems } from "../domain/rng/problems.ts";
import * as roll from "../domain/rng/roll.ts";
import * as seeds from "../domain/rng/seeds.ts";
import { rngProjection } from "../projections/rng/rng.ts";
import { seedsReactor } from "../reactors/rng/reactor.ts";
import type { Area } from "./area.ts";

export const rng: Area = {
  name: "rng",
  about: "Provably fair random numbers: seeds committed to Base, rolls, proofs",
  envelope: "success",
  entities: [seeds, commitment, roll],
  projections: [rngProjection],
  reactors: [seedsReactor],
  operations: [...rngOperations, ...rngProofOperations, ...rngAnchorOperations],
  problems: rngProblems,
};
