import { calculatorOperations } from "../api/operations/commerce/calculator.ts";
import { forecastOperations } from "../api/operations/commerce/forecast.ts";
import { orderOperations } from "../api/operations/commerce/orders.ts";
import { payingOperations } from "../api/operations/commerce/paying.ts";
import { productOperations } from "../api/operations/commerce/products.ts";
import { quoteOperations } from "../api/operations/commerce/quotes.ts";
import * as order from "../domain/commerce/order.ts";
import { commerceProblems } from "../domain/commerce/problems.ts";
import * as product from "../domain/commerce/product.ts";
import * as quote from "../domain/commerce/quote.ts";
import * as stock from "../domain/commerce/stock.ts";
import { catalogueProjection } from "../projections/commerce/catalogue.ts";
import { demandProjection } from "../projections/commerce/demand.ts";
import { ordersProjection } from "../projections/commerce/orders.ts";
import { ordersReactor } from "../reactors/commerce/orders.ts";
import type { Area } from "./area.ts";

export const commerce: Area = {
  name: "commerce",
  about:
    "Heating fuel and wood: stock that cannot be oversold, orders paid in USDC, customers who can be erased",
  envelope: "success",
  entities: [product, stock, order, quote],
  projections: [catalogueProjection, ordersProjection, demandProjection],
  reactors: [ordersReactor],
  operations: [
    ...productOperations,
    ...calculatorOperations,
    ...quoteOperations,
    ...orderOperations,
    ...payingOperations,
    ...forecastOperations,
  ],
  problems: commerceProblems,
};
