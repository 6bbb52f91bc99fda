import type { Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';
import { deviceIdsOf, type PodAllocation } from './pod-devices.ts';

/**
 * Returns the devices that a container may take over from init containers of its pod: those of init containers before it, which end before it starts, without those
 * that a sidecar or another main container has.
 */
export function reusableDevices(
  { spec }: Pod,
  containerName: string,
  resource: string,
  allocated: PodAllocation | undefined,
): readonly string[] {
  if (allocated === undefined) return [];
  const idsOf = (name: string): readonly string[] => {
    const allocation = allocated.get(name)?.get(resource);
    return allocation === undefined ? [] : deviceIdsOf(allocation);
  };
  const initContainers = spec?.initContainers ?? [];
  const index = initContainers.findIndex(({ name }) => name === containerName);
  const earlier = index < 0 ? initContainers : initContainers.slice(0, index);
  const longRunning = [...initContainers.filter(isSidecar), ...(spec?.containers ?? [])];
  const kept = new Set(longRunning.filter(({ name }) => name !== containerName).flatMap(({ name }) => idsOf(name)));
  const ended = earlier.filter((container) => !isSidecar(container)).flatMap(({ name }) => idsOf(name));
  return [...new Set(ended)].filter((id) => !kept.has(id));
}
