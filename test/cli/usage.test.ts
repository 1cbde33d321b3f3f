/** The form of help and errors that all commands share. */
import { Command } from "commander";
import { expect, test } from "vitest";
import { InvalidEvent } from "../../eventstore/errors.ts";
import { textOfError } from "../../src/cli/error-text.ts";
import { oneOf, textUpTo } from "../../src/cli/option-values.ts";
import { plainError, plainUsage } from "../../src/cli/usage.ts";
import { Refusal } from "../../src/core/model/refusal.ts";

/** The refusal that `shop add …args` prints. */
function refusalOf(...args: string[]): string {
  const add = new Command("add")
    .argument("<slug>", "its slug", textUpTo(5))
    .requiredOption("--unit <name>", "its unit", oneOf(["bag", "pallet"]))
    .action(() => undefined);
  const shop = new Command("shop").addCommand(add);
  let printed = "";
  plainUsage(shop, ["tallystick", "shop"]);
  for (const command of [shop, add]) command.exitOverride();
  add.configureOutput({ writeErr: (text) => void (printed += text) });
  expect(() => shop.parse(["add", ...args], { from: "user" })).toThrow();
  return printed;
}

test("an error names the option or argument, its valid values and the help to read", () => {
  expect(refusalOf("pine", "--unit", "box")).toBe(
    "error: --unit is one of bag, pallet, not 'box'\n(see tallystick shop add --help)\n",
  );
  expect(refusalOf("pellets", "--unit", "bag")).toMatch(/^error: <slug> is 1 to 5 characters, not 'pellets'/);
  expect(refusalOf("pine")).toMatch(/^error: required option '--unit <name>' not specified/);
  expect(refusalOf("pine", "oak", "--unit", "bag")).toMatch(/^error: too many arguments for 'add'/);
});

test("errors about choices and long values have the same form", () => {
  const choices = "error: option '--for <side>' argument 'x' is invalid. Allowed choices are a, b.";
  expect(plainError(choices)).toBe("error: --for is one of a, b, not 'x'");
  const long = `error: command-argument value '${"y".repeat(60)}' is invalid for argument 'id'. is short`;
  expect(plainError(long)).toBe(`error: <id> is short, not '${"y".repeat(40)}…'`);
});

test("help names required options, and no default for flags that are off", () => {
  const list = new Command("list")
    .requiredOption("--tenant <name>", "its tenant")
    .option("--json", "print JSON", false)
    .option("--scopes <list>", "its scopes", (text) => text.split(","), ["read"]);
  plainUsage(list);
  const help = list.helpInformation();
  expect(help).toContain("its tenant (required)");
  expect(help).toContain("its scopes (default: read)");
  expect(help).not.toContain("false");
});

test("the operating system's and Postgres' refusals are sentences; only a defect shows its stack", () => {
  const system = (code: string, more = {}) =>
    textOfError(Object.assign(new Error(`${code}: it says`), { code, syscall: "open", ...more }));
  expect(system("ENOENT", { path: "a/b" })).toBe("a/b: there is no such file or folder: check the path");
  expect(system("EROFS", { path: "/ro/x" })).toContain("/ro/x: its file system is read-only");
  expect(system("ENOSPC")).toContain("the disk is full: free some space");
  expect(system("ECONNREFUSED", { address: "::1", port: 5432 })).toMatch(/^::1:5432: nothing listens there/);
  expect(system("EISDIR", { syscall: "rename", path: "a.part", dest: "a" })).toBe(
    "a: it is a folder: name a file",
  );
  expect(system("EWEIRD", { path: "x" })).toBe("x: EWEIRD: it says");
  const denied = Object.assign(new Error("permission denied"), { severity: "ERROR", code: "42501" });
  expect(textOfError(denied)).toBe("Postgres refuses: permission denied (SQLSTATE 42501)");
  expect(textOfError(new InvalidEvent("payload", "is too long"))).toBe("payload is too long");
  expect(textOfError(new Refusal("invalid", "no"))).toBe("no");
  const plain = new Error("the embedded Postgres did not start");
  expect(textOfError(plain)).toBe(plain.message);
  expect(textOfError(plain, { stack: true })).toMatch(/did not start\n.*\n +at /s);
  expect(textOfError(new TypeError("x is not a function"))).toMatch(
    /^This is a defect of Tallystick.*\n.*\n +at /s,
  );
});
