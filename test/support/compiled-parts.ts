/** Threads and processes of the service start from the files that postgres-global.ts has compiled. */
import { startCompiled } from "../../eventstore/system/thread.ts";

startCompiled();
