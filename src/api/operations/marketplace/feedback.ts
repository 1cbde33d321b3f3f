import { z } from "zod";
import { canonicalText } from "../../../../eventstore/canonical.ts";
import { chainHash, time } from "../../../core/model/fields.ts";
import { feedbackFile, feedbackHash } from "../../../domain/identity/feedback.ts";
import { feedbackProjection, listFeedback } from "../../../projections/marketplace/feedback.ts";
import { json, open, operation } from "../../declare/index.ts";
import { nextCursor, pageInput, readPage } from "../../declare/page.ts";

const file = z
  .object({
    agentRegistry: z.string().describe("<CAIP-2 chain>:<address>"),
    agentId: z.union([z.int(), z.string()]).describe("The subject; a string if a number would lose digits"),
    clientAddress: z.string().describe("The wallet that paid, with its chain: only it can submit the file"),
    createdAt: time.describe("When the feedback was given"),
    value: z.int().describe("Points out of 100, times 10 to the power of valueDecimals"),
    valueDecimals: z.int().describe("Decimals of value"),
    tag1: z.string().describe("`works` for a verdict, the skill for an attestation"),
    tag2: z.string().describe("The kind of the item, or `attestation`"),
    endpoint: z.string().describe("The item that was bought"),
    proofOfPayment: z
      .object({
        fromAddress: z.string().describe("The buyer's wallet"),
        toAddress: z.string().describe("The market's address, which was paid; the market credits the author"),
        chainId: z.string().describe("The chain of the payment"),
        txHash: chainHash.describe("The transfer of USDC"),
      })
      .describe("As ERC-8004 names it"),
  })
  .describe("The file, as ERC-8004's registry reads it");

const feedback = operation({
  name: "soul_market_feedback",
  route: "GET /soul/market/feedback",
  summary: "Feedback files of ERC-8004 that a settled payment proves",
  description: `Feedback about agents that are linked to the registry, newest first. It consists of verdicts of buyers, and attestations
whose evidence is a payment: by the attestor, for an item of the subject, final and not refunded. Nothing else is exported. The buyer's wallet submits \`file\` by giveFeedback, with \`feedback_hash\`.`,
  access: [open()],
  lists: feedbackProjection,
  input: z.object(pageInput),
  output: json(
    z.object({
      feedback: z
        .array(
          z.object({
            event_id: z.string().describe("The event of this feedback in the log"),
            payment_id: z.string().describe("The payment of the sale"),
            feedback_hash: chainHash.describe("Keccak-256 of the file's canonical form (RFC 8785)"),
            file,
          }),
        )
        .describe("Newest first"),
      next_cursor: nextCursor,
    }),
  ),
  example: { limit: 5 },
  handle: async ({ input, app }) => {
    const { page, next_cursor } = await readPage(input, (rows) => listFeedback(app.pool, rows));
    return {
      feedback: page.map(({ event_id, payment_id, ...words }) => {
        const made = feedbackFile(words, app.settings.public_url);
        return {
          event_id,
          payment_id,
          feedback_hash: feedbackHash(canonicalText(made, "feedback")),
          file: made,
        };
      }),
      next_cursor,
    };
  },
});

export const feedbackOperations = [feedback];
