import { type Context, isSpanContextValid, type Span, trace } from '@opentelemetry/api';

/** Returns the headers of the W3C trace context. */
export function traceHeaders(span: Span, context: Context): Readonly<Record<string, string>> {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  if (!isSpanContextValid({ traceId, spanId, traceFlags })) return {};
  const state = (traceState ?? trace.getSpanContext(context)?.traceState)?.serialize() ?? '';
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    ...(state !== '' && { tracestate: state }),
  };
}
