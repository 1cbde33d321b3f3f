/** The deployed contract matches its source: recompiled, it is the same to the byte, and settings and pins agree. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { artifactOf, contracts, logAnchor } from "../../src/anchoring/contracts/compile.ts";
import { ABI, INIT_CODE, SOLC } from "../../src/domain/anchoring/generated/log-anchor.ts";

const source = await readFile(logAnchor.source, "utf8");

test.each(contracts)(
  "the artifact of $name is what `npm run contracts` compiles from its source",
  async (contract) => {
    const artifact = artifactOf(contract, await readFile(contract.source, "utf8"));
    expect(artifact).toBe(await readFile(contract.artifact, "utf8"));
  },
);

test("the compiler is pinned, in package.json and in the source", async () => {
  const { devDependencies } = JSON.parse(
    await readFile(join(import.meta.dirname, "../../package.json"), "utf8"),
  );
  expect(devDependencies.solc).toMatch(/^\d+\.\d+\.\d+$/);
  expect(SOLC.startsWith(`${devDependencies.solc}+`)).toBe(true);
  for (const contract of contracts)
    expect(await readFile(contract.source, "utf8")).toContain(`pragma solidity ${devDependencies.solc};`);
});

test("a comment does not change the code, another line does, and a mistake is reported in the compiler's words", () => {
  const codeOf = (text: string) => /INIT_CODE = "(0x[0-9a-f]+)"/.exec(artifactOf(logAnchor, text))?.[1];
  expect(codeOf(`${source}// and no more\n`)).toBe(INIT_CODE);
  expect(codeOf(source.replace("mstore8(input, 0x01)", "mstore8(input, 0x00)"))).not.toBe(INIT_CODE);
  expect(() => artifactOf(logAnchor, source.replace("uint64 keptSize", "uint63 keptSize"))).toThrow(/uint63/);
});

test("the contract has no owner, and no function accepts ether", () => {
  const functions = ABI.filter((entry) => entry.type === "function");
  expect(functions.map(({ name }) => name).sort()).toEqual(
    ["anchor", "commitSeeds", "endorse", "head", "seedCommittedAt", "successor"].sort(),
  );
  expect(functions.filter(({ stateMutability }) => !/^(view|nonpayable)$/.test(stateMutability))).toEqual([]);
  const opcodes = opcodesOf(INIT_CODE);
  // Only STATICCALL calls other contracts; CALL, CALLCODE, DELEGATECALL, CREATE, CREATE2 and SELFDESTRUCT do not occur.
  for (const forbidden of [0xf1, 0xf2, 0xf4, 0xf0, 0xf5, 0xff]) expect(opcodes).not.toContain(forbidden);
  expect(opcodes.filter((opcode) => opcode === 0xfa).length).toBeGreaterThan(0);
});

/** A program's operations, without the data of PUSH1 to PUSH32. */
function opcodesOf(code: string): number[] {
  const bytes = Buffer.from(code.slice(2), "hex");
  const found: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const opcode = bytes[at]!;
    found.push(opcode);
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
  return found;
}
