/** Threads and processes of the service start with what postgres-global.ts has compiled. */
import { startCompiled } from "../../eventstore/system/thread.ts";

startCompiled();
