/** Prints the OpenAPI document of this checkout, from which the clients are made; the address in it is an example. */
import { catalogueOf } from "../src/api/declare/catalogue.ts";
import { openapi } from "../src/api/describe/openapi.ts";
import { areas } from "../src/areas/index.ts";

process.stdout.write(JSON.stringify(openapi(catalogueOf(areas), "https://tally.example.org")));
