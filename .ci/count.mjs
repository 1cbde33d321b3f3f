// Prints the count line of a vitest JSON report; exits 1 when something failed or nothing ran. A second report is of files that were
// run again alone: it stands in their place, and each that had failed before is named.
import { relative } from "node:path";
import { readReport } from "./report.mjs";

const [first, again] = process.argv.slice(2).map(readReport);
const anew = new Map((again?.testResults ?? []).map((file) => [file.name, file]));
for (const { name, status } of first.testResults)
  if (status === "failed" && anew.get(name)?.status === "passed")
    console.log(`failed beside other files, and passed alone: ${relative(process.cwd(), name)}`);
const files = first.testResults.map((file) => anew.get(file.name) ?? file);

const tests = files.flatMap((file) => file.assertionResults);
const passed = tests.filter(({ status }) => status === "passed").length;
const failedTests = tests.filter(({ status }) => status === "failed").length;
// A file that could not be loaded, or whose set-up failed, has no failed test of its own.
const failedFiles = files.filter(
  (file) => file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed"),
).length;
const failed = failedTests + failedFiles;
console.log(`${passed} passed, ${failed} failed, ${tests.length - passed - failedTests} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
