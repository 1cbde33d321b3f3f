import { Command, InvalidArgumentError } from "commander";
import { DAILY_QUOTA, MONTHLY_QUOTA, scope, scopes, tenantName } from "../domain/access/key.ts";
import { issueKey, listAllKeys, revokeKey } from "../operator/keys.ts";
import type { KeyRow } from "../projections/access/keys.ts";
import { about } from "./about.ts";
import { type Columns, JSON_LINES, printList, shortTime } from "./listing.ts";
import { textUpTo } from "./option-values.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function keysCommand(terminal: Terminal): Command {
  const keys = new Command("keys").description(about.keys);

  keys
    .command("issue")
    .description("issue a key and print it, once")
    .requiredOption("--tenant <name>", "the key's tenant: 1-63 lower-case letters, digits, hyphens", asTenant)
    .option("--scopes <list>", `comma-separated: ${scopes.join(", ")}`, asScopes, ["read" as const])
    .option("--test", "a sk_test_ key, in a separate tenant space", false)
    .option("--label <text>", "a note for the list, at most 100 characters", textUpTo(100))
    .option("--daily <n|none>", "calls per day in UTC", asQuota, DAILY_QUOTA)
    .option("--monthly <n|none>", "calls per calendar month in UTC", asQuota, MONTHLY_QUOTA)
    .option("--json", "print JSON", false)
    .action(async (options) => {
      const issued = await withRuntime(
        terminal,
        ({ app }) =>
          issueKey(app, {
            tenant: options.tenant,
            space: options.test ? "test" : "live",
            label: options.label ?? null,
            scopes: options.scopes,
            daily: limitOf(options.daily),
            monthly: limitOf(options.monthly),
          }),
        { makes_log: true },
      );
      if (options.json) return print(JSON.stringify(issued));
      print(
        `${issued.secret}\n\nKey ${issued.key_id} of tenant ${issued.tenant}. It is shown only once: save it.`,
      );
    });

  keys
    .command("list")
    .description("list keys, without their secrets")
    .option("--tenant <name>", "only this tenant's (test keys: test:<name>)")
    .option(...JSON_LINES)
    .action((options) =>
      withRuntime(terminal, ({ app }) => printList(listAllKeys(app, options.tenant), COLUMNS, options)),
    );

  keys
    .command("revoke")
    .description("revoke a key; a repeat changes nothing")
    .argument("<key_id>", "as shown by `keys list`", textUpTo(64))
    .action(async (keyId: string) => {
      const state = await withRuntime(terminal, ({ app }) => revokeKey(app, keyId));
      print(`Key ${keyId} is revoked since ${state.revoked_at}.`);
    });

  return keys;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const COLUMNS: Columns<KeyRow> = [
  ["KEY", ({ key_id }) => key_id],
  ["TENANT", ({ tenant }) => tenant],
  ["SCOPES", ({ scopes }) => scopes.join(",")],
  ["DAILY", ({ daily }) => String(daily ?? "none")],
  ["MONTHLY", ({ monthly }) => String(monthly ?? "none")],
  ["ISSUED", ({ issued_at }) => shortTime(issued_at)],
  ["STATUS", ({ revoked_at }) => (revoked_at ? `revoked ${shortTime(revoked_at)}` : "active")],
];

function asTenant(text: string): string {
  const answer = tenantName.safeParse(text);
  if (!answer.success) throw new InvalidArgumentError(answer.error.issues[0]!.message);
  return answer.data;
}

function asScopes(text: string) {
  return [...new Set(text.split(","))].map((name) => {
    const answer = scope.safeParse(name);
    if (!answer.success) throw new InvalidArgumentError(`${name} is not one of ${scopes.join(", ")}`);
    return answer.data;
  });
}

/** Commander treats null as "not given", so no limit stays a word until the options are parsed. */
function asQuota(text: string): number | "none" {
  if (text === "none") return text;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("is a whole number from 1, or none");
  return Number(text);
}

const limitOf = (quota: number | "none") => (quota === "none" ? null : quota);
