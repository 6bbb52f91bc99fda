import type { Container, Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { endingBefore } from './init-containers.ts';
import type { MemoryBlock } from './machine-memory.ts';
import { assignedMemory, type MemoryAssignments, type MemoryState, isSameGroup } from './memory-state.ts';

type Place = Pick<MemoryBlock, 'type' | 'numaNodes'>;

/**
 * Returns the bytes that a container may take over from the init containers before it, never more than they still have. Without a container: from all init
 * containers of the pod.
 */
export function reusableBytes(state: MemoryState, pod: Pod, container: Container | undefined, place: Place): number {
  const { reusable } = state;
  if (reusable?.podUid !== podUid(pod)) return 0;
  const held = endingBefore(pod, container)
    .flatMap(({ name }) => assignedMemory(state, podUid(pod), name) ?? [])
    .filter((block) => isSamePlace(block, place));
  return Math.min(
    reusable.bytes.get(keyOf(place)) ?? 0,
    held.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  );
}

/** Returns the state after a container got, or has, its memory: that of an init container can be taken over, and that of any other is in use from now on. */
export function updateReusable(
  state: MemoryState,
  pod: Pod,
  container: Container,
  blocks: readonly MemoryBlock[],
): MemoryState {
  const uid = podUid(pod);
  const bytes = new Map(state.reusable?.podUid === uid ? state.reusable.bytes : []);
  const ends = endingBefore(pod).some(({ name }) => name === container.name);
  for (const block of blocks) {
    const before = bytes.get(keyOf(block)) ?? 0;
    bytes.set(keyOf(block), ends ? Math.max(before, block.sizeBytes) : Math.max(0, before - block.sizeBytes));
  }
  return { ...state, reusable: { podUid: uid, bytes } };
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

function keyOf({ type, numaNodes }: Place): string {
  return `${type} ${numaNodes.join()}`;
}
