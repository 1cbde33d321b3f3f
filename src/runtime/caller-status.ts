import { agentOf } from "../api/agents/agents.ts";
import type { Caller } from "../api/declare/caller.ts";
import type { CallerStatus } from "../api/serve/free-room.ts";
import type { App } from "../core/app.ts";
import { isPaying } from "../projections/payments/watched.ts";

export const callerStatusOf =
  (app: App) =>
  async (caller: Caller): Promise<CallerStatus> => {
    if (await isPaying(app.pool, caller.tenant)) return "paying";
    if (caller.kind !== "subject") return "proven";
    const { keys } = await agentOf(app, caller);
    return keys.length > 0 ? "proven" : "stranger";
  };
