/** What is publicly told of the log: its checkpoints, its anchors, and how far each stream has come. */
import type { Projection } from "../projection.ts";
import { foldHeads, headsDdl } from "./heads.ts";
import { foldStreams, streamsDdl } from "./streams.ts";

export const logProjection: Projection = {
  name: "log",
  version: 1,
  ddl: `${headsDdl}${streamsDdl}`,
  concerns: () => true,
  async fold(events, tx) {
    await foldStreams(events, tx);
    await foldHeads(events, tx);
  },
};
