// Prints the failed tests and the count of all tests in the JSON reports of vitest that it is given; exits 1 when a test or a report failed, or nothing ran.
import { existsSync, readFileSync } from "node:fs";

const reports = process.argv.slice(2);
const missing = reports.filter((path) => !existsSync(path));
const files = reports
  .filter((path) => !missing.includes(path))
  .flatMap((path) => JSON.parse(readFileSync(path, "utf8")).testResults);
const tests = files.flatMap((file) => file.assertionResults);
const passed = tests.filter(({ status }) => status === "passed").length;
const failedTests = tests.filter(({ status }) => status === "failed").length;
// A file that could not be loaded, or whose set-up failed, has no failed test of its own.
const failedFiles = files.filter(
  (file) => file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed"),
).length;
const failed = failedTests + failedFiles + missing.length;
for (const file of files.filter(({ status }) => status === "failed")) {
  console.log(`\nfailed: ${file.name} ${file.message}`);
  for (const { fullName, failureMessages } of file.assertionResults.filter(
    ({ status }) => status === "failed",
  )) {
    console.log(`  ${fullName}\n${failureMessages.join("\n")}`);
  }
}
for (const path of missing) console.log(`failed: no report at ${path}`);
console.log(`${passed} passed, ${failed} failed, ${tests.length - passed - failedTests} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
