/**
 * The service's log for a terminal: a coloured line per entry. Without a terminal it stays JSON, an object per
 * line.
 */
import { styleText } from "node:util";
import type pinoPretty from "pino-pretty";

/** The destination for entries if standard error is a terminal; undefined otherwise, and JSON is written. */
export async function linesForTerminal(isTerminal: boolean): Promise<pinoPretty.PrettyStream | undefined> {
  if (!isTerminal) return undefined;
  const { default: pretty } = await import("pino-pretty");
  return pretty({
    destination: 2,
    sync: true,
    colorize: true,
    translateTime: "HH:MM:ss",
    ignore: "pid,hostname,method,path,operation,status,ms,request_id,trace_id,cut_off",
    messageFormat: messageOf,
  });
}

const TEXT_STYLES = { ok: "green", callers: "yellow", ours: "red" } as const;
const styleOf = (status: number) =>
  TEXT_STYLES[status >= 500 ? "ours" : status >= 400 && status !== 402 ? "callers" : "ok"];

/** Summarizes a call, or returns the entry's own message. */
function messageOf(entry: Record<string, unknown>, messageKey: string): string {
  const { method, path, status, ms, cut_off } = entry;
  if (typeof status !== "number") return String(entry[messageKey] ?? "");
  const outcome = styleText(styleOf(status), String(status));
  return `${method} ${path} ${outcome} ${ms} ms${cut_off ? " (cut off)" : ""}`;
}
