import { createTestMachine } from '@rxlet/machine/testing';
import { formatCpuSet } from '@rxlet/machine/topology';
import { MEMORY_STATE_FILE, memoryManager, type MemoryStateFile, parseMemoryState } from '@rxlet/memory-manager';
import { isTerminalPhase, PodLabel, podUid } from '@rxlet/pod-model';
import { containerKey, type History, type MemoryFacts } from '../history/history.ts';
import { MEMORY_POLICY, NODE_MEMORY_BYTES, numaModules, readTopology, TOPOLOGY_REASON } from './numa-machine.ts';
import { MACHINE } from './resize-part.ts';
import { followFile, keyOfContainer, runningContainers } from './running-containers.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

const STATE = `/root/${MEMORY_STATE_FILE}`;
/** Memory that pods cannot have: all of it is on the first NUMA node. */
const RESERVED_MI = 100;
const RESERVED = `${String(RESERVED_MI)}Mi`;
/** Memory that pods can have, by NUMA node. */
const AVAILABLE: readonly number[] = [NODE_MEMORY_BYTES - RESERVED_MI * 2 ** 20, NODE_MEMORY_BYTES];

/** Containers with memory of NUMA nodes for themselves. The largest amount is more than a NUMA node has. */
export const memoryPart: PartKind = {
  name: 'memory',
  steps: 0,
  extras: (choose) =>
    choose.chance(0.7)
      ? {
          cpuMillis: choose.pick([100, 500, 1_000]),
          memoryMi: choose.pick([512, 1_024, 2_048, 3_000, 5_000]),
          isGuaranteed: true,
          othersMemoryMi: 256,
        }
      : {},
  create: createMemory,
};

function createMemory({ cluster, history, enabled }: PartContext): WorldPart {
  const { node } = cluster;
  followFile(node, STATE, (content, running) =>
    history.add({ kind: 'memory', assigned: assignedMemory(parseMemoryState(content)), available: AVAILABLE, running }),
  );
  return {
    name: 'memory',
    endReasons: ['UnexpectedAdmissionError', TOPOLOGY_REASON, 'OutOfcpu', 'OutOfmemory', 'Preempting'],
    modules: () => [
      ...numaModules('memory', enabled),
      memoryManager({
        policy: MEMORY_POLICY,
        reservedMemory: [{ numaNode: 0, limits: { memory: RESERVED } }],
        evictionHard: { 'memory.available': RESERVED },
        machine: createTestMachine({ facts: MACHINE }),
        readTopology,
      }),
    ],
    run: () => false,
    differences(pods, touched) {
      const state = parseMemoryState(node.files.text(STATE) ?? '{}');
      const assigned = assignedMemory(state);
      const active = new Set(pods.filter(({ status }) => !isTerminalPhase(status?.phase)).map(podUid));
      for (const { labels } of runningContainers(node)) active.add(labels[PodLabel.podUid] ?? '');
      const older = olderThanRecord(history.events);
      return [
        ...runningContainers(node).flatMap((container) => {
          const key = keyOfContainer(container);
          const expected = formatCpuSet(assigned[key]?.numaNodes ?? []);
          const actual = container.resources?.linux?.cpusetMems ?? '';
          if (actual === expected || older.has(container.id)) return [];
          return [`${key} has memory of the NUMA nodes ${actual || 'of all containers'}, not of ${expected || 'all'}`];
        }),
        ...[...state.assignments.keys()]
          .filter((uid) => !active.has(uid) && !touched.has(uid))
          .map((uid) => `${uid} has ended, and memory of NUMA nodes is assigned to it`),
      ];
    },
  };
}

/** Returns the memory that containers have for themselves, by key of the container. */
function assignedMemory({ assignments }: MemoryStateFile): Readonly<Record<string, MemoryFacts>> {
  return Object.fromEntries(
    [...assignments].flatMap(([uid, containers]) =>
      [...containers].flatMap(([name, blocks]) =>
        blocks.map(
          ({ sizeBytes, numaNodes }) => [containerKey({ uid, name }), { bytes: sizeBytes, numaNodes }] as const,
        ),
      ),
    ),
  );
}

/** Returns the ids of the containers that are older than the record of their memory, which was lost. As in the kubelet, they keep the NUMA nodes that they have. */
function olderThanRecord(events: History): ReadonlySet<string> {
  const lost = events.findLastIndex(
    (event) => event.kind === 'damaged' && event.path === STATE && event.how === 'lose',
  );
  return new Set(
    events
      .slice(0, lost + 1)
      .flatMap((event) => (event.kind === 'container' && event.change === 'created' ? event.container.id : [])),
  );
}
