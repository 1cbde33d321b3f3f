import { readFileSync } from "node:fs";

/** What `vitest --reporter=json` wrote; no files where it wrote nothing. */
export function readReport(path) {
  const text = readFileSync(path, "utf8");
  return text === "" ? { testResults: [] } : JSON.parse(text);
}
