import type { Container, Pod } from '@rxlet/kube-api';
import { isSidecar, podQosClass } from '@rxlet/pod-model';
import { hasPodLevelResources } from '@rxlet/pod-model/resources';
import { exactBytes } from './exact-bytes.ts';
import { isMemoryType, type MemoryAmounts } from './machine-memory.ts';

/** Reports whether containers of a pod get memory of NUMA nodes: they are Guaranteed, and without pod-level resources. */
export function getsMemory(pod: Pod): boolean {
  return podQosClass(pod) === 'Guaranteed' && !hasPodLevelResources(pod);
}

/** Returns the memory that a container requests; `undefined` when a request is no whole number of bytes. */
export function requestedMemory({ resources }: Container): MemoryAmounts | undefined {
  const amounts: Record<string, number> = {};
  for (const [type, text] of Object.entries(resources?.requests ?? {})) {
    if (!isMemoryType(type)) continue;
    const bytes = exactBytes(text);
    if (bytes === undefined) return undefined;
    amounts[type] = bytes;
  }
  return amounts;
}

/** Returns the most memory that the containers of a pod have at any one time, of the types that its regular containers request. */
export function requestedMemoryOfPod({ spec }: Pod): MemoryAmounts | undefined {
  const sidecars: Record<string, number> = {};
  const starting: Record<string, number> = {};
  const regular: Record<string, number> = {};
  for (const container of spec?.initContainers ?? []) {
    const amounts = requestedMemory(container);
    if (amounts === undefined) return undefined;
    for (const [type, bytes] of Object.entries(amounts)) {
      if (isSidecar(container)) sidecars[type] = (sidecars[type] ?? 0) + bytes;
      else starting[type] = Math.max(starting[type] ?? 0, (sidecars[type] ?? 0) + bytes);
    }
  }
  for (const container of spec?.containers ?? []) {
    const amounts = requestedMemory(container);
    if (amounts === undefined) return undefined;
    for (const [type, bytes] of Object.entries(amounts)) regular[type] = (regular[type] ?? 0) + bytes;
  }
  return Object.fromEntries(
    Object.entries(regular).map(([type, bytes]) => [
      type,
      Math.max(bytes + (sidecars[type] ?? 0), starting[type] ?? 0),
    ]),
  );
}
