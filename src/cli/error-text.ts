import { InvalidEvent } from "../../eventstore/errors.ts";
import { ObjectsUnavailable } from "../core/model/ports/objects.ts";
import { SubjectsUnavailable } from "../core/model/ports/subjects.ts";
import { Refusal } from "../core/model/refusal.ts";
import { systemReason } from "../core/model/system-reason.ts";
import { ConfigError } from "../runtime/config.ts";

const EXPECTED = [ConfigError, InvalidEvent, ObjectsUnavailable, SubjectsUnavailable];

/** A failed command's error text. A defect shows its stack; so does an unforeseen error, if `stack` is set. */
export function textOfError(error: unknown, { stack = false } = {}): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal) {
    const others = (error.errors ?? []).filter(({ message }) => !error.message.includes(message));
    return `${error.message}${others.map(({ path, message }) => `\n  ${path}: ${message}`).join("")}`;
  }
  if (EXPECTED.some((kind) => error instanceof kind)) return error.message;
  const sentence = systemText(error) ?? databaseText(error) ?? thrownText(error);
  if (sentence === undefined) return defectText(error);
  return stack ? `${sentence}\n${error.stack}` : sentence;
}

/** Names the file or address that the operating system refused; undefined for other errors. */
function systemText(error: Error): string | undefined {
  const { syscall, code, path, dest, address, port } = error as NodeJS.ErrnoException & {
    dest?: string;
    address?: string;
    port?: number;
  };
  if (syscall === undefined) return undefined;
  // Of two names of a rename, a folder in the way is the second.
  const place =
    (code === "EISDIR" ? dest : undefined) ??
    path ??
    (address === undefined ? syscall : `${address}:${port}`);
  return `${place}: ${systemReason(error) ?? error.message}`;
}

/** Postgres' own errors have a severity and an SQLSTATE. */
function databaseText(error: Error): string | undefined {
  const { severity, code } = error as { severity?: string; code?: string };
  if (severity === undefined || code === undefined) return undefined;
  return `Postgres refuses: ${error.message} (SQLSTATE ${code})`;
}

/** Code that expects a failure throws a plain Error with a sentence; the language's own errors are subclasses. */
const thrownText = (error: Error): string | undefined =>
  Object.getPrototypeOf(error) === Error.prototype ? error.message : undefined;

const defectText = (error: Error): string =>
  `This is a defect of Tallystick; please report these lines.\n${error.stack ?? error.message}`;
