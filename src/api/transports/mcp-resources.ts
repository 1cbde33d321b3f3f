/** Vintages, reports, receipts and proofs as MCP resources. Each one is the answer of an operation. */
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { ServedOperation } from "../serve/pipeline.ts";
import type { Answer } from "../serve/respond.ts";
import { answerOf, type CallOrigin } from "./mcp-call.ts";
import { JSON_TYPE, type Kind, kinds, SCHEME, uriOf } from "./mcp-links.ts";

function namedBy(uri: string): { kind: Kind; id: string } | undefined {
  const [, kind, id] = /^tallystick:\/\/(\w+)\/([^/?#]+)$/.exec(uri) ?? [];
  if (kind === undefined || id === undefined || !Object.hasOwn(kinds, kind)) return undefined;
  try {
    return { kind: kind as Kind, id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

export const resourceTemplates: ResourceTemplateType[] = Object.entries(kinds).map(
  ([kind, { field, title, about }]) => ({
    uriTemplate: `${SCHEME}//${kind}/{${field}}`,
    name: kind,
    title,
    description: about,
    mimeType: JSON_TYPE,
  }),
);

/** An entry in the answer of the operation `resources`. */
type Listed = {
  kind: "vintage" | "report" | "receipt";
  id: string;
  title: string;
  event_id: string;
  recorded_at: string;
};

const PAGE = 50;

export function createResources(served: ReadonlyMap<string, ServedOperation>) {
  const ask = async (name: string, input: Record<string, unknown>, origin: CallOrigin): Promise<Answer> => {
    const operation = served.get(name);
    // The operation may be missing, because a service may offer only some areas.
    if (!operation) return Promise.reject(notFound(name));
    return answerOf(operation, { arguments: input }, origin);
  };

  return {
    /** Lists each resource, followed by the proof of its event. */
    async list(cursor: string | undefined, origin: CallOrigin): Promise<ListResourcesResult> {
      if (!served.has("resources")) return { resources: [] };
      const input = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
      const { data, meta } = bodyOf<{ data: Listed[]; meta: { next_cursor: string | null } }>(
        await ask("resources", input, origin),
      );
      return {
        resources: data.flatMap(resourcesOf),
        ...(meta.next_cursor !== null && { nextCursor: meta.next_cursor }),
      };
    },

    async read(uri: string, origin: CallOrigin): Promise<ReadResourceResult> {
      const named = namedBy(uri);
      if (!named) throw notFound(uri);
      const { operation, field } = kinds[named.kind];
      const answer = await ask(operation, { [field]: named.id }, origin);
      const isUnknown = answer.kind === "refused" && [400, 404].includes(answer.refusal.type.status);
      if (isUnknown) throw notFound(uri);
      if (answer.kind !== "body") throw refusalOf(answer, uri);
      return { contents: [{ uri, mimeType: JSON_TYPE, text: answer.body.toString() }] };
    },
  };
}

const notFound = (uri: string) => new ResourceNotFoundError(uri);

function bodyOf<Body>(answer: Answer): Body {
  if (answer.kind !== "body") throw refusalOf(answer);
  return JSON.parse(answer.body.toString()) as Body;
}

/** JSON-RPC has no 401 or 410, so the message names the remedy. */
function refusalOf(answer: Exclude<Answer, { kind: "body" }>, uri?: string): ProtocolError {
  const refusal = answer.kind === "refused" ? answer.refusal : undefined;
  const detail =
    refusal?.errors?.map(({ path, message }) => `${path} ${message}`).join("; ") ?? refusal?.message;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, detail ?? "the resource cannot be read", {
    ...(uri !== undefined && { uri }),
    ...(refusal && { status: refusal.type.status }),
  });
}

function resourcesOf({ kind, id, title, event_id, recorded_at }: Listed): Resource[] {
  const place: Kind = `${kind}s`;
  const annotations = { lastModified: recorded_at };
  return [
    { uri: uriOf(place, id), name: id, title, mimeType: JSON_TYPE, annotations },
    {
      uri: uriOf("proofs", event_id),
      name: event_id,
      title: `Proof: ${title}`,
      mimeType: JSON_TYPE,
      annotations,
    },
  ];
}
