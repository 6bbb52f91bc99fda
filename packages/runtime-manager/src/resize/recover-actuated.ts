import type { Container, Pod, ResourceRequirements } from '@rxlet/kube-api';
import {
  convertContainerResources,
  newestContainerStatus,
  type RuntimeContainerResources,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import { type ActuatedResources, requiresRestart, type ResizableResource } from '../compute/container-resize.ts';
import { containerResources } from '../config/linux-resources.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import type { Context } from '../context.ts';
import { effectiveResources } from './effective-resources.ts';

/**
 * What is on record of a pod, with a record for each container that runs.
 *
 * One can be missing after a crash, with a damaged file, or for containers that another agent started. Then what the runtime reports is what they have; where that is
 * just what the desired resources would be turned into, they are taken for in effect, including the memory request, of which the runtime knows nothing. A runtime
 * too old to report resources leaves one question open. What can be changed while the container runs is put into effect, maybe again; what would take a restart
 * is taken for in effect, since a healthy container must not restart because a file was lost.
 */
export async function recoverActuated(
  { actuated, settings }: Context,
  pod: Pod,
  status: RuntimePodStatus,
): Promise<ActuatedResources> {
  await actuated.load();
  const { uid } = status;
  for (const container of [...(pod.spec!.initContainers ?? []), ...pod.spec!.containers]) {
    if (actuated.of(uid).containers.has(container.name)) continue;
    const current = newestContainerStatus(status, container.name);
    if (current?.state !== 'running') continue;
    actuated.setContainer(uid, container.name, recovered(pod, container, current.resources, settings));
  }
  return actuated.of(uid);
}

/** The desired resources, but with CPU and memory as reported where that is something else. */
function recovered(
  pod: Pod,
  container: Container,
  reported: RuntimeContainerResources | undefined,
  settings: NodeSettings,
): ResourceRequirements {
  const desired = effectiveResources(container.resources, pod.spec!.resources);
  const limits = { ...desired.limits };
  const requests = { ...desired.requests };
  const replace = (resource: ResizableResource, limit: string | undefined, request: string | undefined): void => {
    delete limits[resource];
    delete requests[resource];
    if (limit !== undefined) limits[resource] = limit;
    if (request !== undefined) requests[resource] = request;
  };
  if (reported === undefined) {
    for (const resource of ['cpu', 'memory'] as const) {
      if (!requiresRestart(container, resource)) replace(resource, undefined, undefined);
    }
    return { limits, requests };
  }
  const expected = convertContainerResources(containerResources(pod, container, settings));
  const { cpuLimitMillis, cpuRequestMillis, memoryLimitBytes } = reported;
  if (cpuLimitMillis !== expected?.cpuLimitMillis || cpuRequestMillis !== expected?.cpuRequestMillis) {
    replace('cpu', quantity(cpuLimitMillis, 'm'), quantity(cpuRequestMillis, 'm'));
  }
  if (memoryLimitBytes !== expected?.memoryLimitBytes) {
    replace('memory', quantity(memoryLimitBytes, ''), desired.requests?.['memory']?.toString());
  }
  return { limits, requests };
}

function quantity(amount: number | undefined, suffix: string): string | undefined {
  return amount === undefined ? undefined : `${String(amount)}${suffix}`;
}
