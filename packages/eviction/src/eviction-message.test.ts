import type { Pod } from '@rxlet/kube-api';
import type { EvictionSignal } from '@rxlet/pod-model/eviction-thresholds';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { evictionReason } from './eviction-message.ts';
import type { ContainerUse, PodUse } from './node-summary.ts';
import { observe } from './observations.ts';
import { parseThresholds, type Threshold } from './parse-thresholds.ts';
import { type StarvedResource } from './signals.ts';
import { MI, summary } from './test-support.ts';

const thresholds = (hard: Partial<Record<EvictionSignal, string>>): readonly Threshold[] =>
  parseThresholds({ evictionHard: hard });
const observations = observe(summary({ memoryMi: 50, diskGi: 5 }));

/** Returns what is said after the sentence that names the resource, and the annotations. */
function reasonOf(
  resource: StarvedResource,
  pod: Pod,
  use: Omit<PodUse, 'podRef'> | undefined,
  met: readonly Threshold[] = [],
): { readonly message: string; readonly annotations: Readonly<Record<string, string>> } {
  const podUse = use && { podRef: { uid: 'uid-web' }, ...use };
  const { message, annotations } = evictionReason(resource, pod, podUse, met, observations);
  const low = `The node was low on resource: ${resource}. `;
  expect(message.startsWith(low)).toBe(true);
  return { message: message.slice(low.length), annotations };
}

const memory = (name: string, usedMi: number): ContainerUse => ({ name, memory: { workingSetBytes: usedMi * MI } });
const requests = (amounts: Readonly<Record<string, string>>) => ({ resources: { requests: amounts } });
const no = (starved: StarvedResource) => ({
  offending_containers: '',
  offending_containers_usage: '',
  starved_resource: starved,
});

describe('evictionReason', () => {
  it('names the first threshold of the resource that was observed', () => {
    const met = thresholds({
      'pid.available': '10%',
      'nodefs.available': '10%',
      'allocatableMemory.available': '200Mi',
      'memory.available': '100Mi',
    });
    const message = 'Threshold quantity: 200Mi, available: 50Mi. ';
    expect(reasonOf('memory', testPod(), undefined, met)).toStrictEqual({ message, annotations: {} });
    const unobserved = evictionReason('memory', testPod(), undefined, met, new Map([...observations].slice(0, 1)));
    expect(unobserved.message).toContain('Threshold quantity: 100Mi, available: 50Mi. ');
    expect(reasonOf('inodes', testPod(), undefined, met).message).toBe('');
  });

  it('names the containers that use more memory than they request, init containers too', () => {
    const pod = testPod({
      containers: [
        { name: 'web', ...requests({ memory: '10Mi' }) },
        { name: 'db', ...requests({ memory: '20Mi' }) },
      ],
      initContainers: [{ name: 'proxy', resources: { limits: { memory: '1Gi' } } }],
    });
    const containers = [memory('foreign', 99), memory('web', 10), memory('db', 21), memory('proxy', 1), { name: 'db' }];
    expect(reasonOf('memory', pod, { containers })).toStrictEqual({
      message:
        'Container db was using 21Mi, request is 20Mi, has larger consumption of memory. ' +
        'Container proxy was using 1Mi, request is 0, has larger consumption of memory. ',
      annotations: {
        offending_containers: 'db,proxy',
        offending_containers_usage: '21Mi,1Mi',
        starved_resource: 'memory',
      },
    });
  });

  it('adds log and writable layer of a container, if both are measured', () => {
    const pod = testPod({ containers: [{ name: 'web', ...requests({ 'ephemeral-storage': '2Mi', memory: '1Mi' }) }] });
    const disk = (container: Omit<ContainerUse, 'name'>) =>
      reasonOf('ephemeral-storage', pod, { containers: [{ ...memory('web', 9), ...container }] });
    const [logs, rootfs] = [{ usedBytes: 2 * MI }, { usedBytes: 3 * MI }];
    expect(disk({ logs, rootfs })).toMatchObject({
      message: 'Container web was using 5Mi, request is 2Mi, has larger consumption of ephemeral-storage. ',
      annotations: { offending_containers_usage: '5Mi', starved_resource: 'ephemeral-storage' },
    });
    for (const parts of [{ rootfs }, { logs }, {}]) {
      expect(disk(parts)).toStrictEqual({ message: '', annotations: no('ephemeral-storage') });
    }
  });

  it.each(['inodes', 'pids'] as const)('names no container for %s, which cannot be requested', (resource) => {
    const disk = { usedBytes: 9, inodesUsed: 9 };
    const containers = [{ ...memory('app', 9), logs: disk, rootfs: disk }];
    expect(reasonOf(resource, testPod(), { containers })).toStrictEqual({ message: '', annotations: no(resource) });
  });

  it('names the memory of a pod that requests some as a whole', () => {
    const use = { containers: null, memory: { workingSetBytes: 30 * MI } };
    const spec = requests({ memory: '20Mi', 'ephemeral-storage': '1Mi' });
    const whole = testPod({ spec });
    const described = (usage: string): string =>
      `Pod web was using ${usage}, request is 20Mi, has larger consumption of memory. `;
    expect(reasonOf('memory', whole, use)).toStrictEqual({
      message: described('30Mi'),
      annotations: { offending_pod: 'web', offending_pod_usage: '30Mi', ...no('memory') },
    });
    expect(reasonOf('memory', whole, { containers: null, memory: {} }).message).toBe(described('0'));
    expect(reasonOf('memory', whole, { containers: null })).toStrictEqual({ message: '', annotations: no('memory') });
    expect(reasonOf('ephemeral-storage', whole, use).message).toBe('');
    const cpuOnly = testPod({ spec: requests({ cpu: '1' }) });
    expect(reasonOf('memory', cpuOnly, use).message).toBe('');
    expect(reasonOf('memory', testPod({ spec: { resources: { limits: { memory: '1Gi' } } } }), use).message).toBe('');
  });

  it('names nothing of a pod without a spec', () => {
    expect(reasonOf('memory', {}, { containers: [memory('app', 9)], memory: {} })).toStrictEqual({
      message: '',
      annotations: no('memory'),
    });
  });

  it('names a pod without a name by an empty one', () => {
    const pod: Pod = { spec: { ...testPod().spec!, ...requests({ memory: '1Mi' }) } };
    const { annotations } = reasonOf('memory', pod, { containers: null, memory: {} });
    expect(annotations['offending_pod']).toBe('');
  });
});
