/** The service's log for whoever watches it: a line an entry, coloured; off a terminal it stays JSON, an object a line. */
import { styleText } from "node:util";
import type pinoPretty from "pino-pretty";

/** Where entries go when standard error is a terminal; undefined where it is none, and JSON is written. */
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

/** A call in a few words, or the entry's own message. */
function messageOf(entry: Record<string, unknown>, messageKey: string): string {
  const { method, path, status, ms, cut_off } = entry;
  if (typeof status !== "number") return String(entry[messageKey] ?? "");
  const outcome = styleText(styleOf(status), String(status));
  return `${method} ${path} ${outcome} ${ms} ms${cut_off ? " (cut off)" : ""}`;
}
