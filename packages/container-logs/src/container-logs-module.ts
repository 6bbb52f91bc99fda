import { type AgentModule, contribute, provide } from '@rxlet/agent-api';
import { terminationMessages } from '@rxlet/agent-api/containers';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { containerLogsEndpoint, type ContainerLogsEndpointOptions } from './endpoint/container-logs-endpoint.ts';
import { createOpenLog } from './endpoint/open-log.ts';
import { type ContainerLogRotatorOptions, createContainerLogRotator } from './rotate/container-log-rotator.ts';
import { listRunningContainers } from './rotate/list-running-containers.ts';
import { createTerminationMessages } from './termination-messages.ts';

/** Options of {@link containerLogs}. */
export interface ContainerLogsOptions extends ContainerLogRotatorOptions, ContainerLogsEndpointOptions {}

/**
 * Creates the agent module that rotates the logs of running containers, serves logs at `/containerLogs`, and reads termination messages.
 *
 * @throws LogRotationError at set-up, for options that make no sense
 */
export function containerLogs(options: ContainerLogsOptions = {}): AgentModule {
  return {
    name: 'container-logs',
    provides: [terminationMessages],
    setup({ runtime, files, hostFiles, clock, logger, core }) {
      const runningContainers = () => listRunningContainers(core);
      const rotator = createContainerLogRotator({ runtime, files, runningContainers, clock, logger }, options);
      return {
        services: [provide(terminationMessages, createTerminationMessages({ files, hostFiles, clock }))],
        contributions: [
          contribute(
            httpEndpoints,
            containerLogsEndpoint(createOpenLog({ core, runtime, hostFiles, clock }), clock, options),
          ),
        ],
        start: () => rotator.start(),
        [Symbol.asyncDispose]: () => rotator[Symbol.asyncDispose](),
      };
    },
  };
}
