import { Client, type ClientUnaryCall, credentials, Metadata } from '@grpc/grpc-js';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { type Clock, createProblemLog, errorMessage, type Logger } from '@rxlet/component-base';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** Codes of an export, as in OpenTelemetry. */
const SUCCESS = 0;
const FAILED = 1;

/** Options of {@link createOtlpExporter}. */
export interface OtlpExporterOptions {
  /** Address in gRPC's notation: `host:port`, `dns:…` or `unix:…`. */
  readonly address: string;
  readonly timeoutMs: number;
}

/** Ports of {@link createOtlpExporter}. */
export interface OtlpExporterPorts {
  readonly clock: Pick<Clock, 'now'>;
  /** Receives failures of exports, whose spans are lost. */
  readonly logger: Pick<Logger, 'warn' | 'debug'>;
}

/** An exporter whose disposal cancels the exports in flight and closes the connection. */
export interface OtlpExporter extends SpanExporter, Disposable {}

/**
 * Creates an exporter that sends spans over OTLP by gRPC, without TLS, as a kubelet does. The one of OpenTelemetry loads gRPC at run time, which a bundled program cannot do.
 *
 * @throws Error for an address that gRPC does not know
 */
export function createOtlpExporter(
  { clock, logger }: OtlpExporterPorts,
  { address, timeoutMs }: OtlpExporterOptions,
): OtlpExporter {
  const problems = createProblemLog(logger);
  const client = new Client(address, credentials.createInsecure());
  /** Exports in flight: at most one, because the processor waits for each, and those of the end. */
  const pending = new Set<Promise<void>>();
  const calls = new Set<ClientUnaryCall>();
  const send = (spans: ReadableSpan[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const call = client.makeUnaryRequest(
        EXPORT,
        (request: ReadableSpan[]) => Buffer.from(ProtobufTraceSerializer.serializeRequest(request) ?? []),
        (answer: Buffer) => answer,
        spans,
        new Metadata(),
        { deadline: clock.now() + timeoutMs },
        (error) => {
          calls.delete(call);
          if (error === null) resolve();
          else reject(error);
        },
      );
      calls.add(call);
    });
  const flush = async (): Promise<void> => void (await Promise.allSettled(pending));
  return {
    export(spans, done) {
      const sending = send(spans).then(
        () => {
          problems.ended();
          done({ code: SUCCESS });
        },
        (error: Error) => {
          problems.failed('cannot send traces', { endpoint: address, error: errorMessage(error) });
          done({ code: FAILED, error });
        },
      );
      pending.add(sending);
      void sending.finally(() => pending.delete(sending));
    },
    forceFlush: flush,
    shutdown: flush,
    [Symbol.dispose]() {
      for (const call of calls) call.cancel();
      client.close();
    },
  };
}
