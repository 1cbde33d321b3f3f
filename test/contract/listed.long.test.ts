/** Every priced operation as catalogues check it: with the validators of x402's own package. */
import {
  sanitizeResourceServiceMetadata,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from "@x402/extensions/bazaar";
import { expect, test } from "vitest";
import { paymentOf } from "../../src/api/declare/access/way.ts";
import { bazaarForms, type Transport } from "../../src/api/serve/x402/bazaar.ts";
import { listingOf } from "../../src/api/serve/x402/listing.ts";
import { catalogue } from "../support/catalogue.ts";

const priced = catalogue.filter((operation) => paymentOf(operation));
const terms = { public_url: "https://tallystick.example" };

const faultsOf = (extension: object): string[] => {
  const [own, spec] = [
    validateDiscoveryExtension(extension as never),
    validateDiscoveryExtensionSpec(extension as never),
  ];
  return [...(own.errors ?? []), ...(spec.errors ?? [])];
};

test.each<Transport>(["http", "mcp"])(
  "the listing is valid in full and at its shortest, over %s",
  (transport) => {
    const faults = priced.flatMap((operation) => {
      const forms = bazaarForms(operation, transport);
      return [forms[0]!, forms.at(-1)!].flatMap(({ extension }) => [
        ...faultsOf(extension).map((fault) => `${operation.name}: ${fault}`),
        ...("output" in extension.info ? [] : [`${operation.name}: no output`]),
      ]);
    });
    expect(faults).toEqual([]);
  },
  300_000,
);

test("a listing has a name, tags and an icon that catalogues take, and an example of JSON answers", () => {
  for (const operation of priced) {
    const { resource, extensions } = listingOf(operation, terms, "http");
    expect(sanitizeResourceServiceMetadata(resource as never)).toEqual({
      serviceName: resource.serviceName,
      tags: resource.tags,
      iconUrl: resource.iconUrl,
    });
    const { info } = extensions.bazaar as { info: { output: { type: string; example?: unknown } } };
    if (info.output.type === "json") expect(info.output, operation.name).toHaveProperty("example");
  }
});
