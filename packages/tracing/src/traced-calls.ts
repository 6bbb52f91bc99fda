import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, type CallOptions, ImageServiceDescriptor, RuntimeServiceDescriptor } from '@rxlet/cri-api';
import { type CallSubjects, createCallSubjects } from './call-subject.ts';
import type { PodSpans } from './pod-spans.ts';
import { traceHeaders } from './trace-headers.ts';
import type { TracedCalls } from './tracing.ts';

/** Ports of {@link createTracedCalls}. */
export interface TracedCallsPorts {
  readonly tracer: Tracer;
  readonly spans: Pick<PodSpans, 'contextOf' | 'attributesOf'>;
}

type Call = (request: Readonly<Record<string, unknown>>, options?: CallOptions) => Promise<object>;

/**
 * Creates {@link TracedCalls}. Each call about a pod gets a client span within the pod's innermost open span, and passes its context on in the headers `traceparent` and
 * `tracestate` of the W3C. Other calls, such as the relists, have no span.
 */
export function createTracedCalls({ tracer, spans }: TracedCallsPorts): TracedCalls {
  const subjects = createCallSubjects();
  const wrap = <S extends object>(
    service: S,
    descriptor: typeof RuntimeServiceDescriptor | typeof ImageServiceDescriptor,
  ): S => {
    const traced: Record<string, unknown> = {};
    for (const { localName, name, methodKind, parent } of descriptor.methods) {
      const call = (service as Record<string, unknown>)[localName];
      if (typeof call !== 'function') continue;
      const bound = call.bind(service) as Call;
      traced[localName] =
        methodKind === 'unary' ? traceCall(bound, `${parent.typeName}/${name}`, { tracer, spans }, subjects) : bound;
    }
    return traced as S;
  };
  return {
    runtime: (service) => wrap(service, RuntimeServiceDescriptor),
    images: (service) => wrap(service, ImageServiceDescriptor),
  };
}

function traceCall(call: Call, name: string, { tracer, spans }: TracedCallsPorts, subjects: CallSubjects): Call {
  return async (request, options) => {
    const subject = subjects.of(request);
    const context = subject && spans.contextOf(subject.podUid, subject.container);
    if (subject === undefined || context === undefined) {
      const answer = await call(request, options);
      subjects.learn(request, answer as Readonly<Record<string, unknown>>);
      return answer;
    }
    const span = tracer.startSpan(
      name,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          'rpc.system': 'grpc',
          ...spans.attributesOf(subject.podUid),
          ...(subject.container !== undefined && { 'k8s.container.name': subject.container }),
        },
      },
      context,
    );
    try {
      const answer = await call(request, {
        ...options,
        headers: { ...options?.headers, ...traceHeaders(span, context) },
      });
      subjects.learn(request, answer as Readonly<Record<string, unknown>>);
      return answer;
    } catch (error) {
      const code = callErrorCode(error);
      if (code !== undefined) span.setAttribute('rpc.grpc.status_code', code);
      span.setStatus({ code: SpanStatusCode.ERROR, message: errorMessage(error) });
      throw error;
    } finally {
      span.end();
    }
  };
}
