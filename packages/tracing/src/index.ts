export { createTracing, TracingUnavailableError } from './create-tracing.ts';
export type { TracingOptions } from './tracing-options.ts';
export type { HttpSpans, SentRequest, ServedRequest, TracedCalls, Tracing } from './tracing.ts';
