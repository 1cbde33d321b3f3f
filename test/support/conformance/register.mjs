// The conformance suite imports a function of Node 22 that its server cases never call; Node 20 gets one that refuses.
import { register } from "node:module";

register("./resolve.mjs", import.meta.url);
