import type { AgentCore } from '@rxlet/agent-api';
import type { RunningContainer } from './container-log-rotator.ts';

/** Lists the containers that run as of the latest relist, which spares a request to the runtime for each. */
export function* listRunningContainers(
  core: Pick<AgentCore, 'runtimePods' | 'runtimeStatus'>,
): Iterable<RunningContainer> {
  for (const { uid, containers } of core.runtimePods()) {
    const logPaths = new Map(core.runtimeStatus(uid).containers.map(({ id, logPath }) => [id.id, logPath]));
    for (const { id, state } of containers) if (state === 'running') yield { id: id.id, logPath: logPaths.get(id.id) };
  }
}
