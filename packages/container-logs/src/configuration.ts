import { KubeletConfigurationError, type ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { errorMessage } from '@rxlet/component-base';
import { parseQuantity, quantityValue } from '@rxlet/pod-model/quantity';
import { containerLogs, type ContainerLogsOptions } from './container-logs-module.ts';

/** Configuration of the module `containerLogs`. */
export const containerLogsConfiguration: ModuleConfiguration<ContainerLogsOptions> = {
  name: 'container-logs',
  gates: ['PodLogsQuerySplitStreams'],
  fields: [
    'containerLogMaxFiles',
    'containerLogMaxSize',
    'containerLogMaxWorkers',
    'containerLogMonitorInterval',
    'runtimeRequestTimeout',
  ],
  defaults: {},
  options: ({ configuration, gates }) => ({
    splitsStreams: gates.isEnabled('PodLogsQuerySplitStreams'),
    maxSizeBytes: readBytes('containerLogMaxSize', configuration.containerLogMaxSize),
    maxFiles: configuration.containerLogMaxFiles,
    maxWorkers: configuration.containerLogMaxWorkers,
    monitorIntervalMs: configuration.containerLogMonitorInterval,
    requestTimeoutMs: configuration.runtimeRequestTimeout,
  }),
  module: containerLogs,
};

function readBytes(field: string, size: string | undefined): number | undefined {
  if (size === undefined) return undefined;
  try {
    return Number(quantityValue(parseQuantity(size)));
  } catch (error) {
    const problem = `invalid ${field} "${size}": ${errorMessage(error)}; expected a size like 10Mi`;
    throw new KubeletConfigurationError('start', [problem], { cause: error });
  }
}
