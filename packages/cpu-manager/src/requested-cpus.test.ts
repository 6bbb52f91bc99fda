import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { requestedCpus, requestedCpusOfPod } from './requested-cpus.ts';
import { type CpuContainer, cpuPod } from './test-support.ts';

describe('requestedCpus', () => {
  const ofFirst = (...containers: readonly Omit<CpuContainer, 'name'>[]): number => {
    const pod = cpuPod(
      'web',
      containers.map((container, index) => ({ name: `c${String(index)}`, ...container })),
    );
    return requestedCpus(pod, pod.spec!.containers[0]!);
  };

  it('is an integer request in a Guaranteed pod', () => {
    expect(ofFirst({ cpu: '2' })).toBe(2);
    expect(ofFirst({ cpu: '2000m' })).toBe(2);
    expect(ofFirst({ cpu: '2500m' })).toBe(0);
    expect(ofFirst({ cpu: '2' }, { isBurstable: true })).toBe(0);
  });

  it('is 0 for a container without a request, as ephemeral containers of a Guaranteed pod', () => {
    const pod = cpuPod('web', [{ name: 'app' }]);
    for (const resources of [undefined, {}, { requests: {} }]) {
      expect(requestedCpus(pod, { name: 'debug', ...(resources && { resources }) })).toBe(0);
    }
  });

  it('is 0 in a pod with resources of its own', () => {
    const amounts = { cpu: '2', memory: '1Gi' };
    const resources = { requests: amounts, limits: amounts };
    const pod = testPod({ containers: [{ resources }], spec: { resources } });
    expect(requestedCpus(pod, pod.spec!.containers[0]!)).toBe(0);
  });
});

it.each<[number, string, readonly Omit<CpuContainer, 'name'>[]]>([
  [5, 'regular containers run together', [{ cpu: '2' }, { cpu: '3' }]],
  [5, 'a larger init container ends before them', [{ cpu: '5', kind: 'init' }, { cpu: '2' }]],
  [3, 'a smaller init container ends before them', [{ cpu: '2', kind: 'init' }, { cpu: '3' }]],
  [
    4,
    'init containers run one after the other',
    [{ cpu: '4', kind: 'init' }, { cpu: '3', kind: 'init' }, { cpu: '1' }],
  ],
  [5, 'a sidecar runs beside regular containers', [{ cpu: '2', kind: 'sidecar' }, { cpu: '3' }]],
  [
    7,
    'a sidecar runs beside later init containers',
    [{ cpu: '3', kind: 'sidecar' }, { cpu: '4', kind: 'init' }, { cpu: '1' }],
  ],
  [
    4,
    'a sidecar starts after earlier init containers',
    [{ cpu: '4', kind: 'init' }, { cpu: '1', kind: 'sidecar' }, { cpu: '1' }],
  ],
])('counts %i CPUs of a pod: %s', (count, _title, containers) => {
  expect(
    requestedCpusOfPod(
      cpuPod(
        'web',
        containers.map((one, index) => ({ name: `c${String(index)}`, ...one })),
      ),
    ),
  ).toBe(count);
});

it('takes time linear in the number of containers, which the author of a pod chooses', () => {
  const containers = Array.from({ length: 12_000 }, (_none, index) => ({
    name: `c${String(index)}`,
    cpu: '1',
    kind: 'init' as const,
  }));
  expect(requestedCpusOfPod(cpuPod('web', [...containers, { name: 'app', cpu: '2' }]))).toBe(2);
});

it('counts no CPUs of a pod without containers', () => {
  expect(requestedCpusOfPod({})).toBe(0);
});
