import type { AgentCore } from '@rxlet/agent-api';
import type { RunningContainer } from './container-log-rotator.ts';

/** Lists the containers that run as of the latest relist, which spares a request to the runtime for each. */
export function* listRunningContainers(
  core: Pick<AgentCore, 'runtimePods' | 'runtimeStatus'>,
): Iterable<RunningContainer> {
  for (const { uid, containers } of core.runtimePods()) {
    const statuses = core.runtimeStatus(uid).containers;
    for (const { id, state } of containers) {
      if (state !== 'running') continue;
      yield { id: id.id, logPath: statuses.find((status) => status.id.id === id.id)?.logPath };
    }
  }
}
