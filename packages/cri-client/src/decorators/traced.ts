import { context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, StatusCode } from '@rxlet/cri-api';
import type { CriServices } from './cri-services.ts';
import { type CallOutcome, observeCalls } from './observe-calls.ts';

/** Ports of {@link traced}. */
export interface TracedPorts {
  /** Default: the tracer of the registered SDK; without one nothing is traced. */
  readonly tracer?: Tracer | undefined;
}

/**
 * Creates a span for each call, from its start to its end; for a stream until it ends or is left. Name and attributes are those of OpenTelemetry's
 * conventions for gRPC: `rpc.system`, `rpc.service`, `rpc.method`, `rpc.grpc.status_code`; an error is recorded as an exception and sets the status.
 * Requests and answers are not attributes: they carry secrets.
 *
 * The span is a child of the caller's active span, and active in the inner ports. It ends at the socket: `createCriClient`
 * sends no metadata, so that the runtime's own spans do not become its children.
 */
export function traced(services: CriServices, ports: TracedPorts = {}): CriServices {
  const tracer = ports.tracer ?? trace.getTracer('@rxlet/cri-client');
  return observeCalls(services, ({ service, method }) => {
    const name = `${service}/${method.name}`;
    const attributes = { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method.name };
    return () => {
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
      const active = trace.setSpan(context.active(), span);
      return {
        run: (step) => context.with(active, step),
        ended: (outcome) => endSpan(span, outcome),
      };
    };
  });
}

function endSpan(span: Span, outcome: CallOutcome): void {
  switch (outcome.kind) {
    case 'done':
      span.setAttribute('rpc.grpc.status_code', StatusCode.Ok);
      break;
    case 'left':
      span.setAttribute('rpc.grpc.status_code', StatusCode.Canceled);
      break;
    case 'failed': {
      const message = errorMessage(outcome.error);
      span.setAttribute('rpc.grpc.status_code', callErrorCode(outcome.error) ?? StatusCode.Unknown);
      span.recordException(outcome.error instanceof Error ? outcome.error : message);
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      break;
    }
  }
  span.end();
}
