import { Command } from "commander";
import { formatEther } from "viem/utils";
import { contradictionInRows, headsToCompare } from "../anchoring/compare-rows.ts";
import { deployAnchor } from "../anchoring/deploy.ts";
import { type AnchorStatus, anchorStatus, type ChainStatus, chainStatus } from "../anchoring/status.ts";
import type { App } from "../core/app.ts";
import type { Hex } from "../core/model/chain.ts";
import { ChainUnavailable, GasKeyEmpty, TransactionPending } from "../core/model/ports/chain.ts";
import { refuse } from "../core/model/refusal.ts";
import { endorseCall } from "../domain/anchoring/contract.ts";
import type { Runtime } from "../runtime/assemble.ts";
import { faultOfAddress } from "../runtime/settings/real-money.ts";
import { about } from "./about.ts";
import { asAddress } from "./option-values.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function anchorCommand(terminal: Terminal): Command {
  const anchor = new Command("anchor").description(about.anchor);

  anchor
    .command("status")
    .description("show how far the log is signed, cosigned and anchored, and what is unproven")
    .option(
      "--chain",
      "also ask the chain: the contract's state, its finality, and the gas key's balance",
      false,
    )
    .option("--json", "print JSON", false)
    .addHelpText("after", "\nReads every event of the log. Only --chain queries the chain.")
    .action(async ({ chain, json }: { chain: boolean; json: boolean }) => {
      const status = await withRuntime(
        terminal,
        async ({ app }) => {
          const heads = await headsToCompare(app);
          const seen = chain ? await chainStatus(app.chain, await originOf(app)).catch(asRefusal) : undefined;
          if (seen?.head)
            heads.push({ ...seen.head, source: `the chain, under our account ${seen.signer},` });
          const status = await anchorStatus(app, () => contradictionInRows(app, heads));
          return seen ? { ...status, chain: seen } : status;
        },
        { chain },
      );
      process.stdout.write(json ? `${JSON.stringify(status, null, 2)}\n` : page(status));
    });

  anchor
    .command("deploy")
    .description("deploy the anchoring contract, which costs gas once")
    .option("--json", "print JSON", false)
    .action(async ({ json }: { json: boolean }) => {
      const deployed = await withRuntime(terminal, ({ app }) => deployAnchor(app.chain).catch(asRefusal), {
        chain: true,
        makes_log: true,
      });
      const { address, transaction } = deployed;
      const said = transaction
        ? `The contract is now at ${address}, by ${transaction}.`
        : `The contract is already at ${address}.`;
      process.stdout.write(json ? `${JSON.stringify(deployed, null, 2)}\n` : `${said}\n`);
    });

  anchor
    .command("endorse")
    .description("name on chain, once and permanently, the account or contract that anchors next")
    .argument("<address>", "the address of the next GAS_KEY", asAddress)
    .action(async (successor: Hex) => {
      const { call, options } = endorseCall(successor);
      const endorse = ({ app }: Runtime) => {
        const fault = app.embedded_chain ? undefined : faultOfAddress(successor);
        if (fault)
          refuse("conflict", `the address ${fault}; endorse an account whose private key only you have`);
        return app.chain.send(call, options).catch(asRefusal);
      };
      const receipt = await withRuntime(terminal, endorse, { chain: true });
      if (!receipt.success)
        refuse(
          "conflict",
          "the chain refused: this account has endorsed a successor already, or it would endorse itself",
        );
      process.stdout.write(
        `${successor} is endorsed by ${receipt.transaction}: auditors of this account continue with it.\n`,
      );
    });

  return anchor;
}

const originOf = async ({ store }: App): Promise<string> => (await store.identity()).origin;

type AnchorReport = AnchorStatus & { chain?: ChainStatus };

function asRefusal(error: unknown): never {
  if (error instanceof TransactionPending)
    return refuse("unavailable", `${error.message}; run the command again to see the outcome`);
  if (error instanceof GasKeyEmpty)
    return refuse(
      "unavailable",
      "the gas key has too little ether: send ether to the account that `tallystick anchor status --chain` names",
    );
  if (error instanceof ChainUnavailable)
    return refuse("unavailable", `no chain: ${error.message}; see BASE_RPC_URL and GAS_KEY`);
  throw error;
}

const page = ({
  origin,
  events,
  checkpoint,
  anchor,
  pending,
  unproven_events,
  contradiction,
  chain,
}: AnchorReport) =>
  [
    `log       ${origin}, ${events} events`,
    ...(contradiction ? [`BROKEN    ${contradiction}; see docs/anchoring.md, "Failures and remedies"`] : []),
    checkpoint
      ? `signed    ${checkpoint.size} events at ${checkpoint.signed_at}, root ${checkpoint.root}`
      : "signed    nothing yet",
    ...(checkpoint?.cosigned_by.length ? [`cosigned  by ${checkpoint.cosigned_by.join(", ")}`] : []),
    ...(anchor
      ? [
          `anchored  ${anchor.size} events at ${anchor.anchored_at}, ${anchor.firmness === "final" ? "for good" : "not final yet"}`,
          `          transaction ${anchor.transaction}, block ${anchor.block_number}`,
        ]
      : ["anchored  nothing yet"]),
    ...(pending
      ? [
          `pending   ${pending.size} events since ${pending.pending_at}, in one of`,
          ...pending.transactions.map((transaction) => `          transaction ${transaction}`),
        ]
      : []),
    `unproven  ${unproven_events} events above the newest final anchor`,
    ...(chain ? chainLines(chain) : []),
    "",
  ].join("\n");

const chainLines = ({ head, placed, contract, ...chain }: ChainStatus) => [
  `chain     ${chain.network}, blocks ${chain.latest} latest, ${chain.safe} safe, ${chain.finalized} finalized`,
  placed
    ? `contract  ${contract} has ${head ? `${head.size} events, ${head.firmness} in block ${head.block_number}` : "nothing of this log yet"}`
    : `contract  ${contract} is missing: create it with \`tallystick anchor deploy\``,
  `gas key   ${chain.signer} has ${formatEther(BigInt(chain.balance_wei))} ether`,
];
