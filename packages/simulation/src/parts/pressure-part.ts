import { eviction, type EvictionOptions } from '@rxlet/eviction';
import type { Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createMeasuredNode, type TestNode } from '@rxlet/testing';
import type { PressureStep } from '../workload/part-steps.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

/** Options of the eviction. A condition stays for a minute after the signal has risen, so that it ends within a run. */
export const EVICTION: EvictionOptions = {
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'pid.available': '100' },
  pressureTransitionPeriodMs: 60_000,
};
/** Signals, and the conditions of the node that report them. */
const CONDITIONS = { memory: 'MemoryPressure', disk: 'DiskPressure', pid: 'PIDPressure' } as const;

/** A machine that runs short of memory, disk or process ids for a while. */
export const pressurePart: PartKind = {
  name: 'pressure',
  steps: 4,
  make: (choose, names) => ({
    do: 'pressure',
    signal: choose.pick(['memory', 'disk', 'pid']),
    ms: choose.pick([choose.integer(1, 2_000), choose.integer(1_000, 30_000), choose.integer(20_000, 120_000)]),
    greedy: choose.pick(names),
  }),
  extras: (choose) => ({ priority: choose.pick([0, 0, 5, 1_000, 2_000_001_000]) }),
  create: createPressure,
};

function createPressure({ cluster, history }: PartContext): WorldPart {
  const { node, kube } = cluster;
  const measured = createMeasuredNode(() => node);
  const pressed = new Map<PressureStep['signal'], number>();
  const apply = (): void => {
    measured.memoryLeftMi = pressed.has('memory') ? 50 : 4_096;
    measured.diskLeftGi = pressed.has('disk') ? 5 : 50;
    measured.processesLeft = pressed.has('pid') ? 50 : 500;
    const conditions = [...pressed.keys()].map((signal) => CONDITIONS[signal]);
    const reported = reportedConditions(node);
    history.add({ kind: 'pressure', conditions, ...(reported && { reported }) });
  };
  const end = (): void => {
    if (pressed.size === 0) return;
    pressed.clear();
    measured.memoryMi.clear();
    apply();
  };
  return {
    name: 'pressure',
    endReasons: ['Evicted'],
    modules: () => [measured.module, eviction(EVICTION)],
    run(step, later) {
      if (step.do !== 'pressure') return false;
      const number = (pressed.get(step.signal) ?? 0) + 1;
      pressed.set(step.signal, number);
      measured.memoryMi.set(step.greedy, 1_024);
      apply();
      later.add(step.ms, () => {
        if (pressed.get(step.signal) !== number) return;
        pressed.delete(step.signal);
        measured.memoryMi.delete(step.greedy);
        apply();
      });
      return true;
    },
    end,
    differences() {
      const { status } = (kube.objects.get(resources.nodes, 'node1') as Node | undefined) ?? {};
      return Object.values(CONDITIONS).flatMap((type) => {
        const shown = status?.conditions?.find((condition) => condition.type === type)?.status;
        return shown === 'False' ? [] : [`the condition ${type} of the node is ${String(shown)} without pressure`];
      });
    },
  };
}

/** Returns the conditions of pressure that the agent has set; `undefined` when none runs. */
function reportedConditions(node: TestNode): readonly string[] | undefined {
  if (!node.isAgentRunning) return undefined;
  try {
    const { conditions } = node.agent().debugState()['eviction'] as { readonly conditions: readonly string[] };
    return conditions;
  } catch {
    // A fault makes the agent throw.
    return undefined;
  }
}
