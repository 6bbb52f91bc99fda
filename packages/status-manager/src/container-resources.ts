import type { Container, ContainerStatus, ResourceRequirements } from '@rxlet/kube-api';
import {
  cpuMillis,
  formatQuantity,
  makeQuantity,
  type RuntimeContainerResources,
  type RuntimeContainerStatus,
} from '@rxlet/pod-model';

/** The least CPU limit that has an effect: a CFS quota is no less than 1 ms in 100. */
export const MIN_CPU_LIMIT_MILLIS = 10;
/** The least CPU request that has an effect: the kernel has no fewer than 2 shares. */
export const MIN_CPU_REQUEST_MILLIS = 2;

type ResourceList = Record<string, string | number>;

/**
 * The resources that a container has (KEP-1287): what was allocated to it, and, while it runs, CPU and memory as the runtime applies them. What the
 * runtime does not say is taken from the previous status.
 *
 * @param previous what was reported of the same instance while it was running
 */
export function containerResources(
  container: Pick<Container, 'resources'>,
  instance: RuntimeContainerStatus,
  previous: ContainerStatus | undefined,
): ResourceRequirements {
  const allocated = container.resources ?? {};
  if (instance.state !== 'running') return allocated;
  const applied = instance.resources;
  return {
    ...allocated,
    ...(allocated.limits !== undefined && {
      limits: overlay(allocated.limits, previous?.resources?.limits, limitsOf(applied), MIN_CPU_LIMIT_MILLIS),
    }),
    ...(allocated.requests !== undefined && {
      requests: overlay(allocated.requests, previous?.resources?.requests, requestsOf(applied), MIN_CPU_REQUEST_MILLIS),
    }),
  };
}

interface Applied {
  readonly cpuMillis: number | undefined;
  readonly memoryBytes: number | undefined;
}

const limitsOf = (applied: RuntimeContainerResources | undefined): Applied => ({
  cpuMillis: applied?.cpuLimitMillis,
  memoryBytes: applied?.memoryLimitBytes,
});

const requestsOf = (applied: RuntimeContainerResources | undefined): Applied => ({
  cpuMillis: applied?.cpuRequestMillis,
  memoryBytes: applied?.memoryRequestBytes,
});

function overlay(
  allocated: Readonly<ResourceList>,
  previous: Readonly<ResourceList> | undefined,
  applied: Applied,
  floorMillis: number,
): Readonly<ResourceList> {
  const list: ResourceList = { ...allocated };
  const keep = (name: string): void => {
    const value = previous?.[name];
    if (value !== undefined) list[name] = value;
  };
  if (applied.cpuMillis === undefined) {
    keep('cpu');
  } else if (applied.cpuMillis > floorMillis || cpuMillis(allocated['cpu']) > floorMillis) {
    // Below the floor the runtime reports the floor, whatever was asked for: the number asked for is the clearer one.
    list['cpu'] = formatQuantity(makeQuantity(applied.cpuMillis, -3));
  }
  if (applied.memoryBytes === undefined) keep('memory');
  else list['memory'] = formatQuantity(makeQuantity(applied.memoryBytes, 0, 'binarySI'));
  return list;
}
