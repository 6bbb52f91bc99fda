import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';

export const Gi = 2 ** 30;

/** Container of a {@link memoryPod}. */
export interface MemoryContainer {
  readonly name: string;
  /** Requests and limits by type of memory. */
  readonly memory: Readonly<Record<string, string>>;
  readonly kind?: 'init' | 'sidecar' | 'regular';
}

/** Returns a Guaranteed pod. */
export function memoryPod(name: string, containers: readonly MemoryContainer[]): Pod {
  const all = containers.map(({ name: container, memory, kind = 'regular' }) => {
    const amounts = { cpu: '1', ...memory };
    const restartPolicy = kind === 'sidecar' ? { restartPolicy: 'Always' as const } : {};
    return {
      kind,
      container: { name: container, ...restartPolicy, resources: { requests: amounts, limits: amounts } },
    };
  });
  const of = (isRegular: boolean): (typeof all)[number]['container'][] =>
    all.filter(({ kind }) => (kind === 'regular') === isRegular).map(({ container }) => container);
  return testPod({ name, containers: of(true), initContainers: of(false) });
}
