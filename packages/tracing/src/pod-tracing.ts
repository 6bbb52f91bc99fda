import type { TracerProvider } from '@opentelemetry/api';
import { contribute } from '@rxlet/agent-api';
import { journalSinks } from '@rxlet/agent-api/journal';
import type { Tracing } from './tracing.ts';
import { createHttpSpans } from './http-spans.ts';
import { createPodSpans } from './pod-spans.ts';
import { createTracedCalls } from './traced-calls.ts';

/** Scopes of the spans: the kubelet's own, for spans that it has, and the agent's. */
const KUBELET_SCOPE = 'k8s.io/kubernetes/pkg/kubelet';
const AGENT_SCOPE = 'rxlet';

/** Creates the traces that go to a provider. */
export function tracingBy(provider: TracerProvider): Omit<Tracing, keyof AsyncDisposable> & { dispose(): void } {
  const [kubelet, agent] = [provider.getTracer(KUBELET_SCOPE), provider.getTracer(AGENT_SCOPE)];
  const spans = createPodSpans({ kubelet, agent });
  return {
    calls: createTracedCalls({ tracer: kubelet, spans }),
    http: createHttpSpans(kubelet),
    module: { name: 'tracing', setup: () => ({ contributions: [contribute(journalSinks, spans.apply)] }) },
    dispose: () => spans.end(),
  };
}
