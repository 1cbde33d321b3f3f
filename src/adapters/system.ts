import { randomBytes } from "node:crypto";
import type { Clock, Random } from "../core/model/ports.ts";

export const systemClock: Clock = { now: () => new Date() };

export const systemRandom: Random = { bytes: (length) => randomBytes(length) };
