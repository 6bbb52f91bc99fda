import type { TracerProvider } from '@opentelemetry/api';
import { type AgentModule, contribute } from '@rxlet/agent-api';
import { type Clock, type Logger, noopLogger, systemClock } from '@rxlet/component-base';
import { journalSinks } from '@rxlet/agent-api/journal';
import { createPodSpans } from './pod-spans.ts';
import { createTracedCalls, type TracedCalls } from './traced-calls.ts';
import type { TracingOptions } from './tracing-options.ts';

/** Traces of an agent. Disposing of it sends what is left; dispose of it after the agent. */
export interface Tracing extends AsyncDisposable {
  /** Makes spans of the agent's journal. */
  readonly module: AgentModule;
  /** Adds spans to the calls of the runtime. */
  readonly calls: TracedCalls;
}

/** Scopes of the spans: the kubelet's own, for spans that it has, and the agent's. */
const KUBELET_SCOPE = 'k8s.io/kubernetes/pkg/kubelet';
const AGENT_SCOPE = 'rxlet';

/**
 * Creates the traces that are sent to a collector over OTLP. The SDK of OpenTelemetry is loaded by this call and by nothing else.
 *
 * @throws Error for an endpoint that gRPC does not know
 */
export async function createTracing(
  options: TracingOptions,
  { clock = systemClock, logger = noopLogger }: { readonly clock?: Clock; readonly logger?: Logger } = {},
): Promise<Tracing> {
  const { createOtlpProvider } = await import('./otlp-provider.ts');
  const otlp = createOtlpProvider(options, { clock, logger });
  const { dispose, ...tracing } = tracingBy(otlp.provider);
  return {
    ...tracing,
    async [Symbol.asyncDispose]() {
      dispose();
      await otlp[Symbol.asyncDispose]();
    },
  };
}

/** Creates the traces that go to a provider. */
export function tracingBy(provider: TracerProvider): Omit<Tracing, keyof AsyncDisposable> & { dispose(): void } {
  const [kubelet, agent] = [provider.getTracer(KUBELET_SCOPE), provider.getTracer(AGENT_SCOPE)];
  const spans = createPodSpans({ kubelet, agent });
  return {
    calls: createTracedCalls({ tracer: kubelet, spans }),
    module: { name: 'tracing', setup: () => ({ contributions: [contribute(journalSinks, spans.apply)] }) },
    dispose: () => spans.end(),
  };
}
