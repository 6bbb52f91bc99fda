import type { Pod, PodStatus, ResourceRequirements } from '@rxlet/kube-api';
import {
  addQuantities,
  cpuMillis,
  formatQuantity,
  isZeroQuantity,
  makeQuantity,
  parseQuantity,
} from '@rxlet/pod-model/quantity';
import { podLimits, podRequests, type ResourceAmounts } from '@rxlet/pod-model/resources';
import { MIN_CPU_LIMIT_MILLIS, MIN_CPU_REQUEST_MILLIS } from './container-resources.ts';

/** Values of a pod's cgroup. `undefined` when a value could not be read or is not limited. */
export interface PodCgroupValues {
  readonly cpuRequestMillis?: number | undefined;
  readonly cpuLimitMillis?: number | undefined;
  readonly memoryLimitBytes?: number | undefined;
}

type ResourceList = Record<string, string | number>;

/**
 * Returns the pod-level resources (KEP-2837, KEP-5419): the allocated ones and, once the API shows the pod running, CPU and memory as its cgroup applies them.
 * Memory requests have no cgroup value.
 *
 * @param cgroup `undefined` for a pod without a readable cgroup
 * @param actuated pod-level resources last put into effect, for a pod without a readable cgroup; default: its allocation
 */
export function podLevelResources(
  pod: Pod,
  previous: PodStatus,
  cgroup: PodCgroupValues | undefined,
  actuated?: ResourceRequirements,
): Required<Pick<PodStatus, 'resources'>> & Pick<PodStatus, 'allocatedResources'> {
  const requests = formatAmounts(podRequests(pod));
  const allocated = { ...(Object.keys(requests).length > 0 && { allocatedResources: requests }) };
  if (cgroup === undefined || pod.status?.phase !== 'Running') {
    const effective = withPodLevelResources(pod, actuated);
    const amounts = [formatAmounts(podRequests(effective)), formatAmounts(podLimits(effective))] as const;
    return { resources: requirements(effective, ...amounts), ...allocated };
  }
  return { resources: appliedResources(pod, previous, cgroup, requests['memory']), ...allocated };
}

/** Returns a pod with other pod-level resources, if it has any. */
function withPodLevelResources(pod: Pod, resources: ResourceRequirements | undefined): Pod {
  if (resources === undefined || pod.spec?.resources === undefined) return pod;
  return { ...pod, spec: { ...pod.spec, resources } };
}

function appliedResources(
  pod: Pod,
  previous: PodStatus,
  cgroup: PodCgroupValues,
  memoryRequest: string | undefined,
): ResourceRequirements {
  const requests: ResourceList = { ...pod.spec?.resources?.requests };
  const limits: ResourceList = { ...pod.spec?.resources?.limits };
  const reported = previous.phase === 'Running' ? previous.resources : undefined;

  /** Sets the previously reported value, or the allocation with the overhead that the cgroup adds. */
  const keep = (list: ResourceList, name: string, reportedValue: string | number | undefined): void => {
    const value = list[name];
    const overhead = pod.spec?.overhead?.[name];
    if (reportedValue !== undefined) list[name] = reportedValue;
    else if (
      value !== undefined &&
      overhead !== undefined &&
      !(list === limits && isZeroQuantity(parseQuantity(value)))
    )
      list[name] = formatQuantity(addQuantities(parseQuantity(value), parseQuantity(overhead)));
  };
  const setCpu = (
    list: ResourceList,
    millis: number | undefined,
    floorMillis: number,
    reportedValue: string | number | undefined,
  ): void => {
    if (millis === undefined) keep(list, 'cpu', reportedValue);
    else if (millis > floorMillis || cpuMillis(list['cpu']) > floorMillis)
      list['cpu'] = formatQuantity(makeQuantity(millis, -3));
  };

  setCpu(requests, cgroup.cpuRequestMillis, MIN_CPU_REQUEST_MILLIS, reported?.requests?.['cpu']);
  if (requests['memory'] !== undefined) keep(requests, 'memory', reported?.requests?.['memory']);
  else if (memoryRequest !== undefined) requests['memory'] = memoryRequest;
  setCpu(limits, cgroup.cpuLimitMillis, MIN_CPU_LIMIT_MILLIS, reported?.limits?.['cpu']);
  if (cgroup.memoryLimitBytes === undefined) keep(limits, 'memory', reported?.limits?.['memory']);
  else limits['memory'] = formatQuantity(makeQuantity(cgroup.memoryLimitBytes, 0, 'binarySI'));
  return requirements(pod, requests, limits);
}

function requirements(pod: Pod, requests: ResourceList, limits: ResourceList): ResourceRequirements {
  return {
    ...pod.spec?.resources,
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

function formatAmounts(amounts: ResourceAmounts): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, formatQuantity(amount)]));
}
