import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';

/** A span as a collector gets it. Times are epoch milliseconds. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly id: string;
  /** Empty for the root of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly scope: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Attributes of the process. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
  readonly isFailed: boolean;
}

/** A collector of traces over OTLP. */
export interface OtlpReceiver extends Disposable {
  /** `host:port`. */
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
}

/** Starts an {@link OtlpReceiver} on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = new Server();
  const binary = (bytes: Buffer): Buffer => bytes;
  server.addService(
    {
      export: {
        path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        requestStream: false,
        responseStream: false,
        requestSerialize: binary,
        requestDeserialize: binary,
        responseSerialize: binary,
        responseDeserialize: binary,
      },
    },
    {
      export(call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) {
        spans.push(...readSpans(call.request));
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
    error === null ? resolve(port) : reject(error),
  );
  const port = await promise;
  return {
    endpoint: `127.0.0.1:${String(port)}`,
    spans,
    [Symbol.dispose]: () => server.forceShutdown(),
  };
}

type Field = { readonly bytes: Uint8Array; readonly number: number };

/** Reads the fields of a message; those that are numbers as `number`. */
function fields(message: Uint8Array): Map<number, Field[]> {
  const found = new Map<number, Field[]>();
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const field: Field =
      type === WireType.LengthDelimited
        ? { bytes: reader.bytes(), number: 0 }
        : { bytes: new Uint8Array(), number: readNumber(reader, type) };
    found.set(number, [...(found.get(number) ?? []), field]);
  }
  return found;
}

function readNumber(reader: BinaryReader, type: WireType): number {
  if (type === WireType.Varint) return Number(reader.int64());
  if (type === WireType.Bit64) return Number(reader.fixed64());
  return reader.fixed32();
}

function readSpans(request: Uint8Array): ReceivedSpan[] {
  return (fields(request).get(1) ?? []).flatMap(({ bytes }) => {
    const resourceSpans = fields(bytes);
    const resource = attributesOf(fields(first(resourceSpans, 1)).get(1));
    return (resourceSpans.get(2) ?? []).flatMap((scopeSpans) => {
      const parts = fields(scopeSpans.bytes);
      const scope = text(first(fields(first(parts, 1)), 1));
      return (parts.get(2) ?? []).map((span) => readSpan(fields(span.bytes), scope, resource));
    });
  });
}

function readSpan(span: Map<number, Field[]>, scope: string, resource: ReceivedSpan['resource']): ReceivedSpan {
  const millis = (number: number): number => (span.get(number)?.[0]?.number ?? 0) / 1e6;
  return {
    traceId: hex(first(span, 1)),
    id: hex(first(span, 2)),
    parentId: hex(first(span, 4)),
    name: text(first(span, 5)),
    scope,
    startMs: millis(7),
    endMs: millis(8),
    attributes: attributesOf(span.get(9)),
    resource,
    isFailed: fields(first(span, 15)).get(3)?.[0]?.number === 2,
  };
}

function attributesOf(entries: readonly Field[] = []): Record<string, string | number | boolean> {
  return Object.fromEntries(
    entries.map(({ bytes }) => {
      const entry = fields(bytes);
      const value = fields(first(entry, 2));
      const [kind = 0, [found] = []] = [...value][0] ?? [];
      const content = kind === 1 ? text(found!.bytes) : kind === 2 ? found!.number === 1 : (found?.number ?? '');
      return [text(first(entry, 1)), content];
    }),
  );
}

function first(message: Map<number, Field[]>, number: number): Uint8Array {
  return message.get(number)?.[0]?.bytes ?? new Uint8Array();
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
