import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import {
  hasPodLevelRequests,
  podLimits,
  podRequests,
  type PodResourcesOptions,
  type ResourceAmounts,
} from './pod-resources.ts';
import { formatQuantity } from './quantity.ts';
import { testPod } from './testing.ts';

const written = (amounts: ResourceAmounts): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([name, quantity]) => [name, formatQuantity(quantity)]));
const requests = (pod: Pod, options?: PodResourcesOptions) => written(podRequests(pod, options));
const limits = (pod: Pod, options?: PodResourcesOptions) => written(podLimits(pod, options));

const cpu = (name: string, amount: string, more: object = {}) => ({
  name,
  resources: { requests: { cpu: amount }, limits: { cpu: amount } },
  ...more,
});
const sidecar = { restartPolicy: 'Always' };

describe('podRequests', () => {
  it('is empty without requests', () => {
    expect(requests(testPod())).toEqual({});
    expect(requests({})).toEqual({});
  });

  it('sums regular containers by resource', () => {
    const pod = testPod({
      containers: [
        { name: 'a', resources: { requests: { cpu: '100m', memory: '64Mi' } } },
        { name: 'b', resources: { requests: { cpu: 1, 'example.com/gpu': '2' } } },
      ],
    });
    expect(requests(pod)).toEqual({ cpu: '1100m', memory: '64Mi', 'example.com/gpu': '2' });
  });

  it('is at least the request of an init container', () => {
    expect(requests(testPod({ initContainers: [cpu('i', '2')], containers: [cpu('a', '1')] }))).toEqual({ cpu: '2' });
    expect(requests(testPod({ initContainers: [cpu('i', '1')], containers: [cpu('a', '2')] }))).toEqual({ cpu: '2' });
  });

  it('counts a sidecar with the regular containers and with later init containers', () => {
    const containers = [cpu('a', '1')];
    const before = testPod({ containers, initContainers: [cpu('s', '3', sidecar), cpu('i', '2')] });
    expect(requests(before)).toEqual({ cpu: '5' });
    const after = testPod({ containers, initContainers: [cpu('i', '2'), cpu('s', '3', sidecar)] });
    expect(requests(after)).toEqual({ cpu: '4' });
  });

  it('takes time linear in the number of sidecars with a resource each, which the author of a pod chooses', () => {
    const sidecars = Array.from({ length: 40_000 }, (_none, index) => ({
      name: `s${String(index)}`,
      ...sidecar,
      resources: { requests: { [`example.com/r${String(index)}`]: '1' } },
    }));
    const init = { name: 'i', resources: { requests: { 'example.com/r0': '2', cpu: '1' } } };
    const found = podRequests(testPod({ initContainers: [...sidecars, init] }));
    expect(Object.keys(found)).toHaveLength(40_001);
    expect(formatQuantity(found['example.com/r0']!)).toBe('3');
  });

  it('prefers pod-level resources', () => {
    const spec = { resources: { requests: { cpu: '3', 'example.com/gpu': '9' } } };
    const pod = testPod({ containers: [{ resources: { requests: { cpu: '1', memory: '1Gi' } } }], spec });
    expect(requests(pod)).toEqual({ cpu: '3', memory: '1Gi' });
    expect(requests(pod, { skipPodLevelResources: true })).toEqual({ cpu: '1', memory: '1Gi' });
    expect(hasPodLevelRequests(pod)).toBe(true);
    expect(hasPodLevelRequests(testPod({ spec: { resources: { requests: { 'example.com/gpu': '9' } } } }))).toBe(false);
  });

  it('adds overhead last', () => {
    const spec = { overhead: { cpu: '250m', memory: '32Mi' }, resources: { requests: { cpu: '3' } } };
    const pod = testPod({ containers: [cpu('a', '1')], spec });
    expect(requests(pod)).toEqual({ cpu: '3250m', memory: '32Mi' });
    expect(requests(pod, { excludeOverhead: true })).toEqual({ cpu: '3' });
  });

  it('does not change the pod', () => {
    const pod = testPod({ initContainers: [cpu('s', '1', sidecar)], spec: { overhead: { cpu: '1' } } });
    const before = structuredClone(pod);
    podRequests(pod);
    podLimits(pod);
    expect(pod).toEqual(before);
  });
});

describe('podLimits', () => {
  it('sums limits like requests, and adds overhead only to existing limits', () => {
    const spec = { overhead: { cpu: '250m', memory: '32Mi' } };
    const initContainers = [cpu('s', '3', sidecar), cpu('i', '2')];
    const pod = testPod({ containers: [cpu('a', '1')], initContainers, spec });
    expect(limits(pod)).toEqual({ cpu: '5250m' });
    expect(limits(pod, { excludeOverhead: true })).toEqual({ cpu: '5' });
    const zero = testPod({ containers: [{ resources: { limits: { cpu: '0' } } }], spec });
    expect(limits(zero)).toEqual({ cpu: '0' });
  });
});

describe('useStatusResources', () => {
  const options = { useStatusResources: true };
  const resizing = (status: object): Pod =>
    testPod({
      containers: [{ name: 'app', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }],
      status: {
        containerStatuses: [
          {
            name: 'app',
            image: '',
            imageID: '',
            ready: true,
            restartCount: 0,
            allocatedResources: { cpu: '2' },
            resources: { requests: { cpu: '3' }, limits: { cpu: '3' } },
          },
        ],
        ...status,
      },
    });

  it('counts the maximum of desired, allocated and actual resources', () => {
    expect(requests(resizing({}), options)).toEqual({ cpu: '3' });
    expect(limits(resizing({}), options)).toEqual({ cpu: '3' });
    expect(requests(resizing({}))).toEqual({ cpu: '1' });
    expect(requests(resizing({ containerStatuses: [] }), options)).toEqual({ cpu: '1' });
  });

  it('ignores infeasible desired resources', () => {
    const large = (reason: string): Pod => {
      const pod = resizing({ conditions: [{ type: 'PodResizePending', status: 'True', reason }] });
      const containers = [{ name: 'app', resources: { requests: { cpu: '9' }, limits: { cpu: '9' } } }];
      return { ...pod, spec: { ...pod.spec, containers } };
    };
    expect(requests(large('Infeasible'), options)).toEqual({ cpu: '3' });
    expect(limits(large('Infeasible'), options)).toEqual({ cpu: '3' });
    expect(requests(large('Deferred'), options)).toEqual({ cpu: '9' });
  });
});
