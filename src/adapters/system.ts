import { randomBytes } from "node:crypto";
import type { Clock, Random } from "../domain/ports.ts";

export const systemClock: Clock = { now: () => new Date() };

export const systemRandom: Random = { bytes: (length) => randomBytes(length) };
