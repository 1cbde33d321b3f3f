import { ObjectsUnavailable } from "../core/model/ports/objects.ts";
import { SubjectsUnavailable } from "../core/model/ports/subjects.ts";
import { Refusal } from "../core/model/refusal.ts";
import { ConfigError } from "../runtime/config.ts";

const EXPECTED = [ConfigError, ObjectsUnavailable, Refusal, SubjectsUnavailable];

/** A failed command's error text; an unexpected error shows its stack. */
export function textOfError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal) {
    const others = (error.errors ?? []).filter(({ message }) => !error.message.includes(message));
    return `${error.message}${others.map(({ path, message }) => `\n  ${path}: ${message}`).join("")}`;
  }
  return EXPECTED.some((kind) => error instanceof kind) ? error.message : (error.stack ?? error.message);
}
