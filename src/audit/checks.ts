import { openCheckpoint } from "../anchoring/checkpoint.ts";
import type { AnchorEvidence, EvidenceOf } from "../anchoring/evidence.ts";
import { MalformedNote, UnverifiedNote } from "../anchoring/note.ts";
import { inclusionFault } from "../anchoring/proofs.ts";
import { leafHash, subtreesOf } from "../anchoring/tree.ts";
import { ANCHOR_ADDRESS, logIdOf } from "../domain/anchoring/contract.ts";
import { provenHead, readBlock, readTransaction } from "./anchor.ts";
import type { EvidenceState, ReadNote, TreeHead } from "./evidence-state.ts";
import type { Fault } from "./fault.ts";

type CheckIdentity = { name: string; verdict: "tree" | "signature" | "anchor" | "completeness" };

/** A condition on a line of evidence, or on all lines. `fault` returns the failure, or undefined. */
export type AuditCheck = CheckIdentity &
  (
    | { at: "frontier"; fault(line: EvidenceOf<"frontier">, state: EvidenceState): string | undefined }
    | { at: "checkpoint"; fault(line: ReadNote, state: EvidenceState): string | undefined }
    | { at: "anchor"; fault(line: AnchorEvidence, state: EvidenceState): string | undefined }
    | {
        at: "inclusion";
        fault(
          line: EvidenceOf<"inclusion">,
          state: EvidenceState,
          event_hash: Uint8Array,
        ): string | undefined;
      }
    | { at: "end"; fault(state: EvidenceState): Fault | undefined }
  );

/** All checks of evidence. Without any one of them some tampering passes; the tests try each. */
export const auditChecks: AuditCheck[] = [
  {
    name: "frontier_shape",
    verdict: "tree",
    at: "frontier",
    fault: ({ size, hashes }, { log, frontier }) => {
      if (log.source === "stream" || frontier) return "a frontier is allowed only before a part of a log";
      if (size !== log.place)
        return `the frontier is of ${size} events, the export begins after ${log.place}`;
      const wanted = subtreesOf({ begin: 0, end: size }).length;
      return hashes.length === wanted ? undefined : `the frontier of ${size} events has ${wanted} hashes`;
    },
  },
  {
    name: "note_form",
    verdict: "signature",
    at: "checkpoint",
    fault: ({ fault }) => fault && `a note holds no checkpoint of this log: ${fault}`,
  },
  {
    name: "note_signature",
    verdict: "signature",
    at: "checkpoint",
    fault: ({ note, checkpoint }, { key, keyFault, held, trust }) => {
      if (!checkpoint) return undefined;
      const which = `the checkpoint of ${checkpoint.size} events`;
      if (held.policy && held.policy.logs.length > 0 && trust.log.length === 0)
        return `${which} is of ${checkpoint.origin}, a log that the policy does not list`;
      if (trust.log.length === 0)
        return `${which} is signed by an unknown key${keyFault ? `: ${keyFault}` : ""}`;
      if (key && trust.log.includes(key) && (key.type === "cosignature/v1" || key.name !== checkpoint.origin))
        return `${which} is not to be checked by ${key.name}+${key.id}: that is not a key of this log`;
      try {
        openCheckpoint(note, trust);
        return undefined;
      } catch (error) {
        if (error instanceof UnverifiedNote || error instanceof MalformedNote)
          return `${which}: ${error.message}`;
        throw error;
      }
    },
  },
  {
    name: "anchor_named",
    verdict: "anchor",
    at: "anchor",
    fault: ({ network, contract, signer }, { held }) => {
      const successors = typeof held.chain === "object" ? held.chain.successors : [];
      if (held.network && network !== held.network)
        return `the anchor is on ${network}, not on ${held.network}`;
      if (held.contract && contract !== held.contract && !successors.includes(contract))
        return `the anchor is in the contract ${contract}, not in ${held.contract}`;
      if (!held.signer || signer === held.signer || successors.includes(signer)) return undefined;
      const remedy = held.chain
        ? "which did not endorse it"
        : "with --rpc the chain says whether that one endorsed it";
      return `the anchor is signed by ${signer}, not by ${held.signer}; ${remedy}`;
    },
  },
  {
    name: "anchor_contested",
    verdict: "anchor",
    at: "anchor",
    fault: ({ signer }, { held: { chain } }) => {
      if (typeof chain !== "object" || chain.first === undefined) return undefined;
      const { first, successors } = chain;
      if (!first) return "the RPC endpoint shows no anchor of this log; name the log's account by --signer";
      if (signer === first.signer || successors.includes(signer)) return undefined;
      return `contested: ${first.signer} anchored this log first, in block ${first.block}, and did not endorse ${signer}, which anchored this export; name the log's account by --signer`;
    },
  },
  {
    name: "anchor_contract",
    verdict: "anchor",
    at: "anchor",
    fault: ({ contract }, { held }) => {
      const { chain } = held;
      if (typeof chain !== "object" || held.contract || contract === ANCHOR_ADDRESS) return undefined;
      return chain.successors.includes(contract)
        ? undefined
        : `the anchor is in the contract ${contract}, which may be anybody's, not in ${ANCHOR_ADDRESS}; if you know that one, name it by --contract`;
    },
  },
  {
    name: "anchor_transaction",
    verdict: "anchor",
    at: "anchor",
    fault: ({ size, root, contract, network, transaction }, { held, log }) => {
      const read = readTransaction(transaction, held.recover);
      if (!read) return `the transaction of the anchor of ${size} events is not an EIP-1559 transaction`;
      const { chain_id, to, head } = read;
      if (`eip155:${chain_id}` !== network)
        return `the transaction ${read.hash} is for chain ${chain_id}, not ${network}`;
      if (to !== contract)
        return `the transaction ${read.hash} goes to ${to}, not to the contract ${contract}`;
      const brings = head && head.log_id === logIdOf(log.header.origin);
      if (!brings || Number(head.size) !== size || head.root !== `0x${root}`)
        return `the transaction ${read.hash} does not anchor ${size} events with this root in this log's name`;
      return undefined;
    },
  },
  {
    name: "anchor_sender",
    verdict: "anchor",
    at: "anchor",
    fault: ({ signer, transaction }, { held }) => {
      const read = readTransaction(transaction, held.recover);
      return !read || read.sender === signer
        ? undefined
        : `the transaction ${read.hash} is signed by ${read.sender ?? "nobody"}, not by ${signer}`;
    },
  },
  {
    name: "anchor_state",
    verdict: "anchor",
    at: "anchor",
    fault: (line, { log }) => {
      const head = provenHead(line, logIdOf(log.header.origin));
      if (typeof head === "string")
        return `the state does not show the anchor of ${line.size} events: ${head}`;
      if (!head) return `the contract has nothing of this log in the block of the proof`;
      return Number(head.size) === line.size && head.root === `0x${line.root}`
        ? undefined
        : `the contract keeps ${head.size} events with root ${head.root.slice(2)} in the block of the proof, not ${line.size} with ${line.root}`;
    },
  },
  {
    name: "anchor_block",
    verdict: "anchor",
    at: "anchor",
    fault: (line, { held: { chain } }) => {
      if (typeof chain !== "object") return undefined;
      const block = readBlock(line);
      if (typeof block === "string") return block;
      const found = chain.blocks.get(Number(block.number));
      return found === block.hash
        ? undefined
        : `block ${block.number} of the chain is ${found ?? "not there"}, not ${block.hash} as the proof has it`;
    },
  },
  {
    name: "anchor_chain",
    verdict: "anchor",
    at: "anchor",
    fault: ({ network }, { held: { chain } }) =>
      typeof chain !== "object" || network === `eip155:${chain.chain_id}`
        ? undefined
        : `the RPC endpoint serves chain ${chain.chain_id}, the anchor is on ${network}`,
  },
  {
    name: "inclusion_order",
    verdict: "tree",
    at: "inclusion",
    fault: ({ version, position }, { inclusions }) => {
      const before = inclusions.at(-1)?.position ?? 0;
      return position > before
        ? undefined
        : `version ${version} at position ${position} comes after position ${before}`;
    },
  },
  {
    name: "inclusion_proof",
    verdict: "tree",
    at: "inclusion",
    fault: ({ version, position, size, proof }, state, event_hash) => {
      const root = state.rootOf(size);
      if (!root)
        return `version ${version} is shown in a tree of ${size} events, which is neither signed nor anchored`;
      const leaf = leafHash(event_hash);
      const bytes = proof.map((hash) => Buffer.from(hash, "hex"));
      const fault = inclusionFault({ index: position - 1, size, leaf, root, proof: bytes });
      return (
        fault && `version ${version} is not in the tree of ${size} events at position ${position}: ${fault}`
      );
    },
  },
  { name: "tiles", verdict: "tree", at: "end", fault: ({ held }) => held.tiles },
  {
    name: "heads_agree",
    verdict: "tree",
    at: "end",
    fault: ({ forks }) => {
      const [lowest] = forks.toSorted(([a], [b]) => a.size - b.size);
      if (!lowest) return undefined;
      const [{ name, size }, other] = lowest;
      return { reason: `${name} and ${other.name} have two roots for ${size} events`, place: size };
    },
  },
  {
    name: "heads_computed",
    verdict: "tree",
    at: "end",
    fault: ({ heads, roots }) => {
      const differs = ({ size, root }: TreeHead) => roots.get(size)?.equals(root) === false;
      const bad = lowest(heads.filter(differs));
      if (!bad) return undefined;
      const computed = roots.get(bad.size)!.toString("hex");
      const changed = `these ${bad.size} events are not those of ${bad.name}: one or more were changed, moved, added or removed`;
      const reason = `${changed}: the root of these ${bad.size} events is ${computed}, not ${bad.root.toString("hex")}`;
      return { reason, place: bad.size };
    },
  },
  {
    name: "consistency",
    verdict: "tree",
    at: "end",
    fault: ({ broken }) => {
      const [bad] = broken.toSorted((a, b) => a.line.second - b.line.second);
      if (!bad) return undefined;
      const { first, second } = bad.line;
      return { reason: `${second} events do not continue ${first}: ${bad.fault}`, place: second };
    },
  },
  {
    name: "heads_joined",
    verdict: "tree",
    at: "end",
    fault: (state) => {
      const loose = lowest(unjoined(state, "checkpoint", "anchor"));
      return (
        loose && { reason: `nothing joins ${loose.name} of ${loose.size} events to these`, place: loose.size }
      );
    },
  },
  {
    name: "held_heads",
    verdict: "completeness",
    at: "end",
    fault: (state) => {
      const { outrunBy } = state;
      const loose = lowest(unjoined(state, "held", "chain").filter((head) => !outrunBy.includes(head)));
      if (!loose) return undefined;
      const verb = loose.from === "held" ? "is of" : "keeps";
      const reason = `${loose.name} ${verb} ${loose.size} events, of which this is not shown to be the beginning: the end was cut`;
      return { reason, place: state.log.place + 1 };
    },
  },
  {
    name: "witness_denied",
    verdict: "completeness",
    at: "end",
    fault: ({ held: { denials = [] }, log }) =>
      denials[0] === undefined ? undefined : { reason: denials[0], place: log.place + 1 },
  },
  {
    name: "held_events",
    verdict: "completeness",
    at: "end",
    fault: ({ missing }) => missing.toSorted((a, b) => a.place - b.place)[0],
  },
  {
    name: "key_asked",
    verdict: "signature",
    at: "end",
    fault: ({ held: { key }, checkpoints, heads }) =>
      key && checkpoints.length === 0 && !heads.some(({ from }) => from === "held")
        ? { reason: "there is no checkpoint, and a key was given", place: 0 }
        : undefined,
  },
  {
    name: "witness_asked",
    verdict: "signature",
    at: "end",
    fault: ({ held, cosigned, largest }) => {
      const missing = held.witnesses?.find(({ name }) => !cosigned.has(name));
      return missing && { reason: `no checkpoint is cosigned by ${missing.name}`, place: largest };
    },
  },
  {
    name: "quorum_met",
    verdict: "signature",
    at: "end",
    fault: ({ held, quorum, quorumFault, largest }) =>
      held.policy === undefined || quorum
        ? undefined
        : { reason: quorumFault ?? "no checkpoint is signed, and a policy was given", place: largest },
  },
  {
    name: "dated_before_anchor",
    verdict: "anchor",
    at: "end",
    fault: ({ late }) => late,
  },
  {
    name: "dated_after_blocks",
    verdict: "anchor",
    at: "end",
    fault: ({ early }) => early,
  },
  {
    name: "anchor_asked",
    verdict: "anchor",
    at: "end",
    fault: ({ held, anchors, log }) => {
      const { network, contract, signer, chain } = held;
      if (typeof chain === "string")
        return { reason: `the RPC endpoint was asked in vain: ${chain}`, place: 0 };
      if (anchors.length > 0 || !(network ?? contract ?? signer ?? chain)) return undefined;
      const reason =
        log.source === "database"
          ? "the chain has an anchor, and this database has no proof of it: start the service, which stores it"
          : "there is no anchor, and one is required: export the log again once it is anchored";
      return { reason, place: 0 };
    },
  },
];

const lowest = (heads: TreeHead[]): TreeHead | undefined =>
  heads.reduce<TreeHead | undefined>((low, head) => (low && low.size <= head.size ? low : head), undefined);

/** Other checks report contradicting heads. */
const unjoined = (state: EvidenceState, ...from: TreeHead["from"][]): TreeHead[] =>
  state.heads.filter((head) => from.includes(head.from) && state.isAgreed(head) && !state.isJoined(head));
