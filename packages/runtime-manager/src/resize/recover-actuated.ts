import type { Container, Pod, ResourceRequirements } from '@rxlet/kube-api';
import { newestContainerStatus, type RuntimeContainerResources, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { convertContainerResources } from '@rxlet/pod-model/cri';
import { type ActuatedResources, requiresRestart, type ResizableResource } from '../compute/container-resize.ts';
import { containerResources } from '../config/linux-resources.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import type { Context } from '../context.ts';
import { effectiveResources } from './effective-resources.ts';

/**
 * Returns the record of a pod, with an entry for each running container.
 *
 * An entry can be missing after a crash, with a damaged file, or for a container that another agent started. It is then recovered from the resources that the
 * runtime reports. Where they equal the converted desired resources, the desired ones are recorded, with the memory request, which runtimes do not report. If
 * the runtime reports no resources, changes that need no restart are put into effect again, and changes that need one count as done, because a lost file must
 * not restart a healthy container.
 */
export async function recoverActuated(
  { actuated, settings }: Pick<Context, 'actuated' | 'settings'>,
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

/** Returns the desired resources, with CPU and memory replaced by the reported ones where they differ. */
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
