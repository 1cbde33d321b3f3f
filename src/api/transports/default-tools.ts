/**
 * In a model's reading order: an overview, the most-used queries, then their proofs. Models choose badly among many tools, so
 * `MOST_TOOLS` limits the list. `operations_find`, `operations_call` and `?areas=` reach the rest.
 */
export const defaultTools: readonly string[] = [
  "health",
  "operations_find",
  "operations_call",
  "trade_overview",
  "trade_countries",
  "trade_timeline",
  "trade_top_partners",
  "trade_top_products",
  "trade_balance",
  "trade_heatmap",
  "trade_product_detail",
  "trade_price_per_tonne",
  "trade_seasonality",
  "trade_concentration",
  "trade_corridor",
  "trade_alerts",
  "trade_macro_context",
  "sovereign_mirror",
  "customs_classifications",
  "customs_tariff_lookup",
  "customs_country_analysis",
  "salary_compare",
  "salary_ai_risk",
  "products_list",
  "fuel_calculator",
  "orders_create",
  "orders_pay",
  "orders_list",
  "rng_roll",
  "rng_verify",
  "payment_status",
  "log_proof",
];

export const MOST_TOOLS = 37;
