import type { ModuleConfiguration, NodeConfiguration } from '@rxlet/agent-api/configuration';
import type { Tracing } from './tracing.ts';
import type { TracingOptions } from './tracing-options.ts';

/** Configuration of the module of `createTracing`, which programs list themselves: they connect the runtime through it as well. */
export const tracingConfiguration: ModuleConfiguration<Pick<Tracing, 'module'>> = {
  name: 'tracing',
  fields: ['tracing.endpoint', 'tracing.samplingRatePerMillion'],
  options: () => undefined,
  module: ({ module }) => module,
};

const DEFAULT_ENDPOINT = 'localhost:4317';

/** Returns the options of `createTracing`; `undefined` without the field `tracing`, which has no default. */
export function toTracing(
  { configuration: { tracing } }: Pick<NodeConfiguration, 'configuration'>,
  nodeName: string,
): TracingOptions | undefined {
  if (tracing === undefined) return undefined;
  return {
    endpoint: tracing.endpoint || DEFAULT_ENDPOINT,
    samplingRatePerMillion: tracing.samplingRatePerMillion ?? 0,
    nodeName,
  };
}
