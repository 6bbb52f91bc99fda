import { type Clock, type Logger, noopLogger, systemClock } from '@rxlet/component-base';
import type { Tracing } from './tracing.ts';
import type { TracingOptions } from './tracing-options.ts';

/** The SDK of OpenTelemetry is not installed. Its packages are optional: most nodes send no traces. */
export class TracingUnavailableError extends Error {
  override readonly name = 'TracingUnavailableError';
}

/** The optional peers of this package. */
const PACKAGES = ['api', 'otlp-transformer', 'resources', 'sdk-trace'].map((name) => `@opentelemetry/${name}`);

/**
 * Creates the traces that are sent to a collector over OTLP. The SDK of OpenTelemetry is loaded by this call and by nothing else.
 *
 * @throws TracingUnavailableError when the SDK is not installed
 * @throws Error for an endpoint that gRPC does not know
 */
export async function createTracing(
  options: TracingOptions,
  { clock = systemClock, logger = noopLogger }: { readonly clock?: Clock; readonly logger?: Logger } = {},
): Promise<Tracing> {
  const { createOtlpProvider, tracingBy } = await loadSdk();
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

async function loadSdk() {
  try {
    const [{ createOtlpProvider }, { tracingBy }] = await Promise.all([
      import('./otlp-provider.ts'),
      import('./pod-tracing.ts'),
    ]);
    return { createOtlpProvider, tracingBy };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `cannot load the SDK of OpenTelemetry: install it with "npm install ${PACKAGES.join(' ')}", or configure no tracing`;
    throw new TracingUnavailableError(message, { cause: error });
  }
}
