// Prints the files of a vitest JSON report that failed, each on a line; none where more failed than a busy machine explains.
import { relative } from "node:path";
import { readReport } from "./report.mjs";

const MOST = 12;

const failed = readReport(process.argv[2]).testResults.filter(({ status }) => status === "failed");
if (failed.length <= MOST) for (const { name } of failed) console.log(relative(process.cwd(), name));
