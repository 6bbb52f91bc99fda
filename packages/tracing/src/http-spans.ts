import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { errorMessage } from '@rxlet/component-base';
import { traceHeaders } from './trace-headers.ts';
import type { HttpSpans } from './tracing.ts';

const STATUS = 'http.response.status_code';
/** First status of a failure of the server. */
const SERVER_ERROR = 500;
/** First status that is a failure for a client. */
const CLIENT_ERROR = 400;

/** Creates {@link HttpSpans}. */
export function createHttpSpans(tracer: Tracer): HttpSpans {
  const begin = (name: string, kind: SpanKind, method: string, attributes: Record<string, string>): Span =>
    tracer.startSpan(name, { kind, attributes: { 'http.request.method': method, ...attributes } }, ROOT_CONTEXT);
  const answered = (span: Span, status: number, firstFailure: number): void => {
    span.setAttribute(STATUS, status);
    if (status >= firstFailure) span.setStatus({ code: SpanStatusCode.ERROR });
  };
  return {
    server: {
      async trace({ method, route }, serve, status) {
        const span = begin(route, SpanKind.SERVER, method, { 'http.route': route });
        try {
          await serve();
        } finally {
          answered(span, status(), SERVER_ERROR);
          span.end();
        }
      },
    },
    client: (send) => async (request) => {
      const span = begin(`HTTP ${request.method}`, SpanKind.CLIENT, request.method, {});
      try {
        const answer = await send({ ...request, headers: { ...request.headers, ...traceHeaders(span, ROOT_CONTEXT) } });
        answered(span, answer.status, CLIENT_ERROR);
        return answer;
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: errorMessage(error) });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}
