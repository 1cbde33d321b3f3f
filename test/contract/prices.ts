/** Prices in USDC as the specification's tables give them, by path; null = free. Kept apart from the catalogue on purpose. */
export const specifiedPrices: Record<string, string | null> = {
  "GET /v1/agent/health": null,
  "GET /v1/agent/feeds": null,
  "GET /v1/agent/trade/overview": "0.01",
  "GET /v1/agent/trade/countries": "0.01",
  "GET /v1/agent/trade/timeline": "0.05",
  "GET /v1/agent/trade/top-partners": "0.05",
  "GET /v1/agent/trade/top-products": "0.05",
  "GET /v1/agent/trade/balance": "0.05",
  "GET /v1/agent/replay/wal-since": "0.10",
  "GET /x402/supported": null,
  "POST /x402/verify": null,
  "POST /x402/settle": null,
  "GET /x402/discovery/resources": null,
  "GET /v1/agent/payments/{id}": null,
  "GET /soul/revenue/transparency": null,
};
