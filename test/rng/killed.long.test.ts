/**
 * Kills the process at each step of committing a chain of seeds; the next one continues, and each head is sent once.
 */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ANCHOR_ADDRESS } from "../../src/domain/anchoring/contract.ts";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { seedsReactor } from "../../src/reactors/rng/reactor.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { startProgram } from "../support/compiled.ts";
import { startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";

let workshop: Workshop;
beforeAll(async () => void (workshop = await openWorkshop()));
afterAll(() => workshop?.close());

test.each([
  "after SeedChainPublished",
  "before it is sent",
  "after it is mined",
  "after SeedCommitted",
  "after SeedChainCommitted",
])("seeds are published and committed once if the process is killed %s", async (step) => {
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  const service = await startService({ chain });
  try {
    const child = startProgram("test/rng/killed-committer.ts", [], {
      env: {
        PATH: process.env.PATH,
        DIES_AT: step,
        DATABASE_URL: service.database_url,
        DATA_DIR: service.data_dir,
        BASE_RPC_URL: chain.rpc_url,
        ANCHORING: "0",
        PAY_TO: PAYEE,
        GAS_KEY,
      },
      stdio: ["ignore", "inherit", "inherit"],
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const active = async () => (await service.app.load(seeds, seeds.targetOf("live"))).active;
    await until(async () => {
      await turn(service.app, seedsReactor);
      return (await active()) !== undefined;
    });
    const head = service.app.seeds.head("live", 1);
    expect(await active()).toMatchObject({ chain: 1, index: 0, seed_hash: head });
    const { latest } = await service.app.chain.heads();
    const logs = await service.app.chain.logs({
      address: ANCHOR_ADDRESS,
      topics: [null, null, `0x${head}`],
      from_block: 0n,
      to_block: latest.number,
    });
    expect(logs).toHaveLength(1);
  } finally {
    await service.stop();
  }
});
