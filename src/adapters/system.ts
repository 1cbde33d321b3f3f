import { randomBytes } from "node:crypto";
import type { Clock } from "../core/model/ports/clock.ts";
import type { Random } from "../core/model/ports/random.ts";

export const systemClock: Clock = { now: () => new Date() };

export const systemRandom: Random = { bytes: (length) => randomBytes(length) };
