import type { Container, Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { endingBefore } from './init-containers.ts';
import type { MemoryBlock } from './machine-memory.ts';
import { assignedMemory, isSameGroup, type MemoryAssignments, type MemoryState } from './memory-state.ts';

type Place = Pick<MemoryBlock, 'type' | 'numaNodes'>;

/** Returns the bytes that a container may take over from the init containers that end before it. Without a container: from all of them in the pod. */
export function reusableBytes(state: MemoryState, pod: Pod, container: Container | undefined, place: Place): number {
  return endingBefore(pod, container)
    .flatMap(({ name }) => assignedMemory(state, podUid(pod), name) ?? [])
    .filter((block) => isSamePlace(block, place))
    .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Takes the memory that a container took over away from the init containers before it, so that all blocks of a pod add up to what it has. */
export function shrinkInitContainers(
  assignments: MemoryAssignments,
  pod: Pod,
  container: Container,
  blocks: readonly MemoryBlock[],
): MemoryAssignments {
  const containers = new Map(assignments.get(podUid(pod)));
  for (const block of blocks) {
    let left = block.sizeBytes;
    for (const { name } of endingBefore(pod, container)) {
      const shrunk = containers.get(name)?.map((held) => {
        if (!isSamePlace(held, block)) return held;
        const bytes = Math.min(left, held.sizeBytes);
        left -= bytes;
        return { ...held, sizeBytes: held.sizeBytes - bytes };
      });
      if (shrunk !== undefined) containers.set(name, shrunk);
    }
  }
  return new Map(assignments).set(podUid(pod), containers);
}

function isSamePlace(left: Place, right: Place): boolean {
  return left.type === right.type && isSameGroup(left.numaNodes, right.numaNodes);
}
