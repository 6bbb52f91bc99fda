import type { Container, ContainerStatus, ResourceRequirements } from '@rxlet/kube-api';
import { cpuMillis, formatQuantity, makeQuantity, quantityNumber } from '@rxlet/pod-model/quantity';
import type { RuntimeContainerResources, RuntimeContainerStatus } from '@rxlet/pod-model/runtime';

/** Minimum effective CPU limit: a CFS quota is at least 1 ms in 100. */
export const MIN_CPU_LIMIT_MILLIS = 10;
/** Minimum effective CPU request: the kernel has at least 2 shares. */
export const MIN_CPU_REQUEST_MILLIS = 2;

type ResourceList = Record<string, string | number>;

/**
 * Returns the resources of a container (KEP-1287): the allocated ones and, while it runs, CPU and memory as the runtime applies them. Values that the runtime does
 * not report, such as memory requests, come from the actuated resources, or else from the previous status.
 *
 * @param previous the last status of the same instance while it was running
 * @param actuated the resources last put into effect
 */
export function containerResources(
  container: Pick<Container, 'resources'>,
  instance: RuntimeContainerStatus,
  previous: ContainerStatus | undefined,
  actuated: ResourceRequirements | undefined,
): ResourceRequirements {
  const allocated = container.resources ?? {};
  if (instance.state !== 'running') return allocated;
  const applied = instance.resources;
  return {
    ...allocated,
    ...(allocated.limits !== undefined && {
      limits: overlay(allocated.limits, previous?.resources?.limits, limitsOf(applied, actuated), MIN_CPU_LIMIT_MILLIS),
    }),
    ...(allocated.requests !== undefined && {
      requests: overlay(
        allocated.requests,
        previous?.resources?.requests,
        requestsOf(applied, actuated),
        MIN_CPU_REQUEST_MILLIS,
      ),
    }),
  };
}

interface Applied {
  readonly cpuMillis: number | undefined;
  readonly memoryBytes: number | undefined;
}

function limitsOf(applied: RuntimeContainerResources | undefined, actuated: ResourceRequirements | undefined): Applied {
  const record = amountsOf(actuated?.limits);
  return {
    cpuMillis: applied?.cpuLimitMillis ?? record.cpuMillis,
    memoryBytes: applied?.memoryLimitBytes ?? record.memoryBytes,
  };
}

function requestsOf(
  applied: RuntimeContainerResources | undefined,
  actuated: ResourceRequirements | undefined,
): Applied {
  const record = amountsOf(actuated?.requests);
  return {
    cpuMillis: applied?.cpuRequestMillis ?? record.cpuMillis,
    memoryBytes: applied?.memoryRequestBytes ?? record.memoryBytes,
  };
}

function amountsOf(list: Readonly<ResourceList> = {}): Applied {
  return {
    cpuMillis: list['cpu'] === undefined ? undefined : cpuMillis(list['cpu']),
    memoryBytes: list['memory'] === undefined ? undefined : quantityNumber(list['memory']),
  };
}

function overlay(
  allocated: Readonly<ResourceList>,
  previous: Readonly<ResourceList> | undefined,
  applied: Applied,
  minCpuMillis: number,
): Readonly<ResourceList> {
  const list: ResourceList = { ...allocated };
  const keep = (name: string): void => {
    const value = previous?.[name];
    if (value !== undefined) list[name] = value;
  };
  if (applied.cpuMillis === undefined) {
    keep('cpu');
  } else if (applied.cpuMillis > minCpuMillis || cpuMillis(allocated['cpu']) > minCpuMillis) {
    // At or below the minimum, the runtime reports the minimum for every request. The requested value is clearer.
    list['cpu'] = formatQuantity(makeQuantity(applied.cpuMillis, -3));
  }
  if (applied.memoryBytes === undefined) keep('memory');
  else list['memory'] = formatQuantity(makeQuantity(applied.memoryBytes, 0, 'binarySI'));
  return list;
}
