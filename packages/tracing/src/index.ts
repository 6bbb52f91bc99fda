export { createTracing, TracingUnavailableError } from './create-tracing.ts';
export type { TracedCalls } from './traced-calls.ts';
export type { TracingOptions } from './tracing-options.ts';
export type { Tracing } from './tracing.ts';
