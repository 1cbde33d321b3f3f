// Prints the count line of a vitest JSON report; exits 1 when something failed or nothing ran.
import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8");
const report = text === "" ? { testResults: [] } : JSON.parse(text);
const tests = report.testResults.flatMap((file) => file.assertionResults);
const passed = tests.filter(({ status }) => status === "passed").length;
const failedTests = tests.filter(({ status }) => status === "failed").length;
// A file that could not be loaded, or whose set-up failed, has no failed test of its own.
const failedFiles = report.testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed"),
).length;
const failed = failedTests + failedFiles;
console.log(`${passed} passed, ${failed} failed, ${tests.length - passed - failedTests} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
