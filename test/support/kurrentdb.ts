/**
 * A KurrentDB from its client's view: a gRPC server of the client's own generated service, with streams in memory.
 * It follows the server's source, v24.10: idempotent appends, soft delete, tombstones, `$tb`, `$maxCount`,
 * `$maxAge`, scavenges and the append size.
 */

import projectionsGrpc from "@eventstore/db-client/generated/projections_grpc_pb.js";
import projections from "@eventstore/db-client/generated/projections_pb.js";
import featuresGrpc from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import features from "@eventstore/db-client/generated/serverfeatures_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streamsGrpc from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";

type Message<Class extends abstract new () => unknown> = InstanceType<Class>;

export type Stored = {
  id: string;
  type: string;
  content_type: string;
  data: Uint8Array;
  metadata: Uint8Array;
  /** Unix milliseconds; default: now. */
  created?: number;
};

/** The stream's metadata, from the newest event of `$$<stream>`. */
type StreamMetadata = { $tb?: number; $maxCount?: number; $maxAge?: number };

/** `$tb` of a soft-deleted stream: the greatest 64-bit number, which JSON.parse rounds up. */
const DELETED = "9223372036854775807";

/** An append's fault: `lost`, it is done but not answered; `slow`, neither done nor answered. */
export type Fault = "lost" | "slow";

export class KurrentDB {
  readonly streams = new Map<string, Stored[]>();
  readonly projections = new Map<string, string>();
  /** The faults of the next appends, in order. */
  readonly faults: Fault[] = [];
  appends = 0;
  /** The server's MaxAppendSize: 1 MiB by default in 24.10. */
  max_append_size = 1_048_576;
  /** Started with RunProjections=None. */
  projections_off = false;
  /** The server denies every call's user. */
  denies = false;
  readonly #tombstones = new Set<string>();
  /** Events of lower revisions are gone for good. */
  readonly #scavenged = new Map<string, number>();
  #server = new Server();
  #port = 0;

  get url(): string {
    return `esdb://admin:changeit@127.0.0.1:${this.#port}?tls=false`;
  }

  async open(): Promise<void> {
    this.#server = new Server();
    this.#serve();
    this.#port = await new Promise((done, fail) =>
      this.#server.bindAsync(`127.0.0.1:${this.#port}`, ServerCredentials.createInsecure(), (error, port) =>
        error ? fail(error) : done(port),
      ),
    );
  }

  /** Stops listening; its data stay. */
  close(): void {
    this.#server.forceShutdown();
  }

  setMetadata(name: string, metadata: StreamMetadata): void {
    this.#writeMetadata(name, JSON.stringify(metadata));
  }

  /** Hides all events; the revisions continue after them. */
  softDelete(name: string): void {
    this.#writeMetadata(name, `{"$tb":${DELETED}}`);
  }

  /** Ends the stream for good. */
  tombstone(name: string): void {
    this.#tombstones.add(name);
  }

  /** Removes hidden events, except the stream's last one, which keeps its revision. */
  scavenge(): void {
    for (const [name, stored] of this.streams)
      this.#scavenged.set(name, Math.min(this.#firstVisible(name), stored.length - 1));
  }

  #writeMetadata(name: string, json: string): void {
    const data = Buffer.from(json);
    const event = { id: crypto.randomUUID(), type: "$metadata", content_type: "application/json" };
    const before = this.streams.get(`$$${name}`) ?? [];
    this.streams.set(`$$${name}`, [...before, { ...event, data, metadata: new Uint8Array() }]);
  }

  #metadataOf(name: string): StreamMetadata {
    const newest = this.streams.get(`$$${name}`)?.at(-1);
    return newest ? JSON.parse(Buffer.from(newest.data).toString()) : {};
  }

  #isSoftDeleted(name: string): boolean {
    return (this.#metadataOf(name).$tb ?? 0) >= Number(DELETED);
  }

  #firstVisible(name: string): number {
    const stored = this.streams.get(name) ?? [];
    const { $tb = 0, $maxCount = Number.POSITIVE_INFINITY, $maxAge } = this.#metadataOf(name);
    const young = $maxAge === undefined ? 0 : Date.now() - 1_000 * $maxAge;
    const first = Math.max($tb, stored.length - $maxCount, this.#scavenged.get(name) ?? 0);
    const at = stored.findIndex(({ created = Date.now() }, n) => n >= first && created >= young);
    return at === -1 ? stored.length : at;
  }

  /** The revision after this append; undefined if the server expects another one. */
  #append(name: string, wanted: number | "any", proposed: readonly Stored[]): number | undefined {
    const stored = this.streams.get(name) ?? [];
    const last = stored.length - 1;
    const expected = wanted === "any" ? last : wanted;
    if (expected < last) {
      const kept = this.#scavenged.get(name) ?? 0;
      const isThere = (id: string, at: number) => at >= kept && stored[at]?.id === id;
      if (proposed.every(({ id }, n) => isThere(id, expected + 1 + n))) return expected + proposed.length;
      const isNew = expected === -1 && this.#isSoftDeleted(name) && !isThere(proposed[0]!.id, 0);
      if (!isNew) return undefined;
    } else if (expected > last) return undefined;
    // A write to a soft-deleted stream makes it visible again from there on.
    if (this.#isSoftDeleted(name)) this.#writeMetadata(name, JSON.stringify({ $tb: stored.length }));
    const created = Date.now();
    this.streams.set(name, [...stored, ...proposed.map((event) => ({ created, ...event }))]);
    return last + proposed.length;
  }

  /** Why the server refuses the call at once. */
  #refusalOf(name: string): object | undefined {
    if (this.denies) return exception(status.PERMISSION_DENIED, "Access Denied", "access-denied", {});
    if (!this.#tombstones.has(name)) return undefined;
    const details = `Event stream '${name}' is deleted.`;
    return exception(status.FAILED_PRECONDITION, details, "stream-deleted", { "stream-name": name });
  }

  #oversized(proposed: readonly Stored[]): object | undefined {
    const size = proposed.reduce(
      (sum, { type, data, metadata }) => sum + data.length + metadata.length + 2 * type.length,
      0,
    );
    if (size <= this.max_append_size) return undefined;
    const most = String(this.max_append_size);
    const details = `Maximum Append Size of ${most} Exceeded.`;
    return exception(status.INVALID_ARGUMENT, details, "maximum-append-size-exceeded", {
      "maximum-append-size": most,
    });
  }

  #serve(): void {
    this.#server.addService(featuresGrpc.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: sendUnaryData<Message<typeof features.SupportedMethods>>) => {
        const result = new features.SupportedMethods();
        result.setEventStoreServerVersion("24.10.0");
        const batch = new features.SupportedMethod();
        batch.setServiceName("event_store.client.streams.Streams");
        batch.setMethodName("batchappend");
        result.setMethodsList([batch]);
        answer(null, result);
      },
    });
    this.#server.addService(streamsGrpc.StreamsService, {
      append: (
        call: ServerReadableStream<Message<typeof streams.AppendReq>, Message<typeof streams.AppendResp>>,
        answer: sendUnaryData<Message<typeof streams.AppendResp>>,
      ) => {
        let name = "";
        let expected: number | "any" = -1;
        const proposed: Stored[] = [];
        call.on("data", (request: Message<typeof streams.AppendReq>) => {
          const options = request.getOptions();
          if (options) {
            name = Buffer.from(options.getStreamIdentifier()!.getStreamName_asU8()).toString();
            if (options.hasAny()) expected = "any";
            else expected = options.hasNoStream() ? -1 : Number(options.getRevision());
          }
          const message = request.getProposedMessage();
          if (!message) return;
          const about = message.getMetadataMap();
          proposed.push({
            id: message.getId()!.getString(),
            type: about.get("type")!,
            content_type: about.get("content-type")!,
            data: message.getData_asU8(),
            metadata: message.getCustomMetadata_asU8(),
          });
        });
        call.on("end", () => {
          this.appends++;
          const fault = this.faults.shift();
          if (fault === "slow") return;
          const refusal = this.#refusalOf(name) ?? this.#oversized(proposed);
          if (refusal) return answer(refusal);
          const revision = this.#append(name, expected, proposed);
          if (fault === "lost") return answer({ code: status.UNAVAILABLE, details: "the answer is lost" });
          const result = new streams.AppendResp();
          if (revision === undefined) {
            const wrong = new streams.AppendResp.WrongExpectedVersion();
            const last = (this.streams.get(name)?.length ?? 0) - 1;
            if (last >= 0) wrong.setCurrentRevision(String(last));
            else wrong.setCurrentNoStream(new shared.Empty());
            if (Number(expected) >= 0) wrong.setExpectedRevision(String(expected));
            else wrong.setExpectedNoStream(new shared.Empty());
            result.setWrongExpectedVersion(wrong);
          } else {
            const success = new streams.AppendResp.Success();
            success.setCurrentRevision(String(revision));
            success.setNoPosition(new shared.Empty());
            result.setSuccess(success);
          }
          answer(null, result);
        });
      },
      read: (
        call: ServerWritableStream<Message<typeof streams.ReadReq>, Message<typeof streams.ReadResp>>,
      ) => {
        const options = call.request.getOptions()!;
        const stream = options.getStream()!;
        const identifier = stream.getStreamIdentifier()!;
        const name = Buffer.from(identifier.getStreamName_asU8()).toString();
        const refusal = this.#refusalOf(name);
        if (refusal) return void call.emit("error", refusal);
        const stored = this.streams.get(name);
        if (!stored || this.#isSoftDeleted(name)) {
          const missing = new streams.ReadResp.StreamNotFound();
          missing.setStreamIdentifier(identifier);
          const result = new streams.ReadResp();
          result.setStreamNotFound(missing);
          call.write(result);
          return call.end();
        }
        const isBack = options.getReadDirection() === 1;
        const first = this.#firstVisible(name);
        const requests = stream.hasRevision() ? Number(stream.getRevision()) : isBack ? stored.length - 1 : 0;
        const from = isBack ? requests : Math.max(requests, first);
        const step = isBack ? -1 : 1;
        const isVisible = (at: number) => at >= first && at < stored.length;
        for (let n = 0, at = from; n < Number(options.getCount()) && isVisible(at); n++, at += step)
          call.write(readOf(identifier, stored[at]!, at));
        call.end();
      },
      delete: (
        call: ServerUnaryCall<Message<typeof streams.DeleteReq>, unknown>,
        answer: sendUnaryData<Message<typeof streams.DeleteResp>>,
      ) => {
        const identifier = call.request.getOptions()!.getStreamIdentifier()!;
        this.softDelete(Buffer.from(identifier.getStreamName_asU8()).toString());
        answer(null, new streams.DeleteResp().setNoPosition(new shared.Empty()));
      },
      tombstone: (
        call: ServerUnaryCall<Message<typeof streams.TombstoneReq>, unknown>,
        answer: sendUnaryData<Message<typeof streams.TombstoneResp>>,
      ) => {
        const identifier = call.request.getOptions()!.getStreamIdentifier()!;
        this.tombstone(Buffer.from(identifier.getStreamName_asU8()).toString());
        answer(null, new streams.TombstoneResp().setNoPosition(new shared.Empty()));
      },
      // The client's own call waits forever when the connection breaks, and throws where nobody catches.
      batchAppend: (call: ServerDuplexStream<unknown, unknown>) =>
        call.destroy(new Error("batches are not to be asked for")),
    });
    this.#server.addService(projectionsGrpc.ProjectionsService, {
      create: (
        call: ServerUnaryCall<Message<typeof projections.CreateReq>, unknown>,
        answer: sendUnaryData<Message<typeof projections.CreateResp>>,
      ) => {
        if (this.projections_off) return answer({ code: status.UNIMPLEMENTED, details: "" });
        const options = call.request.getOptions()!;
        this.projections.set(options.getContinuous()!.getName(), options.getQuery());
        answer(null, new projections.CreateResp());
      },
      statistics: (call: ServerWritableStream<unknown, Message<typeof projections.StatisticsResp>>) => {
        if (this.projections_off) return void call.emit("error", { code: status.UNIMPLEMENTED, details: "" });
        for (const name of this.projections.keys()) {
          const details = new projections.StatisticsResp.Details();
          details.setName(name);
          details.setStatus("Running");
          const result = new projections.StatisticsResp();
          result.setDetails(details);
          call.write(result);
        }
        call.end();
      },
      ...{ update: unimplemented, delete: unimplemented, disable: unimplemented, enable: unimplemented },
      ...{ reset: unimplemented, state: unimplemented, result: unimplemented },
      restartSubsystem: unimplemented,
    });
  }
}

const unimplemented = (_: unknown, answer: (error: { code: number }) => void) =>
  answer({ code: status.UNIMPLEMENTED });

/** A server error, whose trailers name its kind. */
function exception(code: status, details: string, kind: string, trailers: Record<string, string>) {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ exception: kind, ...trailers })) metadata.set(name, value);
  return { code, details, metadata };
}

function readOf(
  identifier: Message<typeof shared.StreamIdentifier>,
  { id, type, content_type, data, metadata }: Stored,
  revision: number,
) {
  const uuid = new shared.UUID();
  uuid.setString(id);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(uuid);
  recorded.setStreamIdentifier(identifier);
  recorded.setStreamRevision(String(revision));
  recorded.setPreparePosition(String(revision));
  recorded.setCommitPosition(String(revision));
  recorded.getMetadataMap().set("type", type).set("content-type", content_type).set("created", "0");
  recorded.setCustomMetadata(metadata);
  recorded.setData(data);
  const event = new streams.ReadResp.ReadEvent();
  event.setEvent(recorded);
  event.setNoPosition(new shared.Empty());
  const answer = new streams.ReadResp();
  answer.setEvent(event);
  return answer;
}
