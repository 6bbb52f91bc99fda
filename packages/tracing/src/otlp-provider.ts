import type { TracerProvider as Provider } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Clock, Logger } from '@rxlet/component-base';
import { createOtlpExporter } from './otlp-exporter.ts';
import type { TracingOptions } from './tracing-options.ts';

/** A provider of tracers whose spans are sent to a collector. Disposing of it sends what is left, within a bounded time. */
export interface OtlpProvider extends AsyncDisposable {
  readonly provider: Provider;
}

const MILLION = 1_000_000;
/** Limits of the queue of spans, as in the kubelet. */
const BATCH = { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 5000, exportTimeoutMillis: 30_000 };
/** A collector that is away must not delay the end of the agent. */
const SHUTDOWN_TIMEOUT_MS = 3000;

/** Creates an {@link OtlpProvider}. This is the only module that loads the SDK. @throws Error for an endpoint that gRPC does not know */
export function createOtlpProvider(
  { endpoint, samplingRatePerMillion, nodeName }: TracingOptions,
  ports: { readonly clock: Clock; readonly logger: Logger },
): OtlpProvider {
  if (endpoint.startsWith('unix-abstract:'))
    throw new Error(`could not configure tracer provider: the endpoint "${endpoint}" cannot be reached from Node.js`);
  const exporter = createOtlpExporter(ports, { address: endpoint, timeoutMs: BATCH.exportTimeoutMillis });
  const root =
    samplingRatePerMillion > 0
      ? new TraceIdRatioBasedSampler(samplingRatePerMillion / MILLION)
      : new AlwaysOffSampler();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'kubelet', 'host.name': nodeName }),
    sampler: new ParentBasedSampler({ root }),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...BATCH })],
  });
  return {
    provider,
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      using _timer = ports.clock.setTimer(SHUTDOWN_TIMEOUT_MS, resolve);
      await Promise.race([provider.shutdown().catch(() => undefined), promise]);
      // The SDK shuts the exporter down only after a successful export, and a call in flight would keep the process.
      exporter[Symbol.dispose]();
    },
  };
}
