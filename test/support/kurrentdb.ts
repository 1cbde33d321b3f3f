/**
 * A KurrentDB as its client sees it: a gRPC server on the client's own generated service, with streams in memory. Appends are idempotent by
 * event id and refused at another revision, as the server's documentation says. It can lose answers, be slow, and go away.
 */

import projectionsGrpc from "@eventstore/db-client/generated/projections_grpc_pb.js";
import projections from "@eventstore/db-client/generated/projections_pb.js";
import featuresGrpc from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import features from "@eventstore/db-client/generated/serverfeatures_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streamsGrpc from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import {
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
};

/** What happens to an append: `lost`, it is made and not answered; `slow`, never answered nor made. */
export type Fault = "lost" | "slow";

export class KurrentDB {
  readonly streams = new Map<string, Stored[]>();
  readonly projections = new Map<string, string>();
  /** Of the next appends, one after the other. */
  readonly faults: Fault[] = [];
  appends = 0;
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

  /** Goes away; what it has stays. */
  close(): void {
    this.#server.forceShutdown();
  }

  /** The first revision of a stream after this append, or undefined where it is refused. */
  #append(name: string, wanted: number | "any", proposed: readonly Stored[]): number | undefined {
    const stored = this.streams.get(name) ?? [];
    const expected = wanted === "any" ? stored.length - 1 : wanted;
    const ids = proposed.map(({ id }) => id);
    const there = stored.slice(expected + 1, expected + 1 + ids.length).map(({ id }) => id);
    if (stored.length - 1 !== expected)
      return there.length === ids.length && there.every((id, at) => id === ids[at])
        ? expected + ids.length
        : undefined;
    this.streams.set(name, [...stored, ...proposed]);
    return expected + ids.length;
  }

  #serve(): void {
    this.#server.addService(featuresGrpc.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: sendUnaryData<Message<typeof features.SupportedMethods>>) => {
        const told = new features.SupportedMethods();
        told.setEventStoreServerVersion("24.10.0");
        const batch = new features.SupportedMethod();
        batch.setServiceName("event_store.client.streams.Streams");
        batch.setMethodName("batchappend");
        told.setMethodsList([batch]);
        answer(null, told);
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
          const revision = this.#append(name, expected, proposed);
          if (fault === "lost") return answer({ code: status.UNAVAILABLE, details: "the answer is lost" });
          const told = new streams.AppendResp();
          if (revision === undefined) {
            const wrong = new streams.AppendResp.WrongExpectedVersion();
            const last = (this.streams.get(name)?.length ?? 0) - 1;
            if (last >= 0) wrong.setCurrentRevision(String(last));
            else wrong.setCurrentNoStream(new shared.Empty());
            if (Number(expected) >= 0) wrong.setExpectedRevision(String(expected));
            else wrong.setExpectedNoStream(new shared.Empty());
            told.setWrongExpectedVersion(wrong);
          } else {
            const success = new streams.AppendResp.Success();
            success.setCurrentRevision(String(revision));
            success.setNoPosition(new shared.Empty());
            told.setSuccess(success);
          }
          answer(null, told);
        });
      },
      read: (
        call: ServerWritableStream<Message<typeof streams.ReadReq>, Message<typeof streams.ReadResp>>,
      ) => {
        const options = call.request.getOptions()!;
        const stream = options.getStream()!;
        const identifier = stream.getStreamIdentifier()!;
        const name = Buffer.from(identifier.getStreamName_asU8()).toString();
        const stored = this.streams.get(name);
        if (!stored) {
          const missing = new streams.ReadResp.StreamNotFound();
          missing.setStreamIdentifier(identifier);
          const told = new streams.ReadResp();
          told.setStreamNotFound(missing);
          call.write(told);
          return call.end();
        }
        const isBack = options.getReadDirection() === 1;
        const from = stream.hasRevision() ? Number(stream.getRevision()) : isBack ? stored.length - 1 : 0;
        const step = isBack ? -1 : 1;
        for (let n = 0, at = from; n < Number(options.getCount()) && at in stored; n++, at += step)
          call.write(readOf(identifier, stored[at]!, at));
        call.end();
      },
      delete: unimplemented,
      tombstone: unimplemented,
      // The client's own waits for ever where the connection breaks, and throws where nobody catches it.
      batchAppend: (call: ServerDuplexStream<unknown, unknown>) =>
        call.destroy(new Error("batches are not to be asked for")),
    });
    this.#server.addService(projectionsGrpc.ProjectionsService, {
      create: (
        call: ServerUnaryCall<Message<typeof projections.CreateReq>, unknown>,
        answer: sendUnaryData<Message<typeof projections.CreateResp>>,
      ) => {
        const options = call.request.getOptions()!;
        this.projections.set(options.getContinuous()!.getName(), options.getQuery());
        answer(null, new projections.CreateResp());
      },
      statistics: (call: ServerWritableStream<unknown, Message<typeof projections.StatisticsResp>>) => {
        for (const name of this.projections.keys()) {
          const details = new projections.StatisticsResp.Details();
          details.setName(name);
          details.setStatus("Running");
          const told = new projections.StatisticsResp();
          told.setDetails(details);
          call.write(told);
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
  const told = new streams.ReadResp();
  told.setEvent(event);
  return told;
}
