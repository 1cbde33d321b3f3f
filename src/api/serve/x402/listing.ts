/** A purchase as catalogues list it: with the operation's own example, and with nothing of the paid call. */
import type { PurchaseListing } from "../../../core/model/ports/settlement.ts";
import type { Operation } from "../../declare/operation.ts";
import { mediaTypeOf, pathWith } from "../../declare/operation-facts.ts";
import { bazaarForms, type Transport } from "./bazaar.ts";

export const SERVICE_NAME = "Tallystick";
/** A PNG, because every catalogue can draw one. */
export const ICON_PATH = "/log/icon.png";

/** Catalogues search by tags: the operation's area, and the kind of service. */
const tagsOf = ({ area }: Pick<Operation, "area">): string[] => [area, "agents", "usdc", "verifiable"];

export const serviceMetadata = (operation: Pick<Operation, "area">, public_url: string) => ({
  serviceName: SERVICE_NAME,
  tags: tagsOf(operation),
  iconUrl: public_url + ICON_PATH,
});

export function listingOf(
  operation: Operation,
  { public_url }: { public_url: string },
  transport: Transport,
): PurchaseListing {
  const path = transport === "mcp" ? "/mcp" : pathWith(operation, operation.example);
  return {
    resource: {
      url: public_url + path,
      description: `${operation.summary}. ${operation.description}`.slice(0, MOST_DESCRIPTION),
      mimeType: transport === "mcp" ? "application/json" : mediaTypeOf(operation),
      ...serviceMetadata(operation, public_url),
    },
    extensions: { bazaar: bazaarForms(operation, transport)[0]!.extension },
  };
}

const MOST_DESCRIPTION = 500;
