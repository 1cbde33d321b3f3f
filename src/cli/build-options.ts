import type { BuildOptions } from "../operator/releases.ts";
import type { Config } from "../runtime/config.ts";

/** Where datasets are built, and their limits of memory and threads. */
export const buildOptions = (config: Config): BuildOptions => ({
  data_dir: config.DATA_DIR,
  limits: { threads: config.DUCKDB_THREADS, memory_mb: config.IMPORT_MEMORY_MB },
});
