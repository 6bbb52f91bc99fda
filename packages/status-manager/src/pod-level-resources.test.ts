import type { PodStatus } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { podLevelResources } from './pod-level-resources.ts';

const containers = [{ resources: { requests: { cpu: '250m', memory: '64Mi' }, limits: { cpu: '1' } } }];
const running: PodStatus = { phase: 'Running' };

describe('podLevelResources', () => {
  it('adds up the containers by default', () => {
    expect(
      podLevelResources(testPod({ containers: [...containers, { ...containers[0]!, name: 'b' }] }), {}, undefined),
    ).toEqual({
      resources: { requests: { cpu: '500m', memory: '128Mi' }, limits: { cpu: '2' } },
      allocatedResources: { cpu: '500m', memory: '128Mi' },
    });
    expect(podLevelResources(testPod(), {}, undefined)).toEqual({ resources: {} });
  });

  it('reports those last put into effect, while another allocation does not count', () => {
    const spec = { resources: { requests: { memory: '10Ki' }, limits: { memory: '10Ki' } } };
    const actuated = { requests: { memory: '30Mi' }, limits: { memory: '30Mi' } };
    expect(podLevelResources(testPod({ containers: [{}], spec }), running, undefined, actuated)).toEqual({
      resources: actuated,
      allocatedResources: { memory: '10Ki' },
    });
    expect(podLevelResources(testPod({ containers }), running, undefined, actuated).resources).toEqual(
      containers[0]!.resources,
    );
  });

  it('reports the values of the cgroup once the API shows the pod running', () => {
    const resources = { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '1', memory: '2Gi' } };
    const cgroup = { cpuRequestMillis: 750, cpuLimitMillis: 1500, memoryLimitBytes: 3 * 2 ** 30 };
    const pod = testPod({ spec: { resources }, status: running });
    expect(podLevelResources(pod, {}, cgroup)).toEqual({
      resources: { requests: { cpu: '750m', memory: '1Gi' }, limits: { cpu: '1500m', memory: '3Gi' } },
      allocatedResources: { cpu: '500m', memory: '1Gi' },
    });
    expect(podLevelResources({ ...pod, status: { phase: 'Pending' } }, {}, cgroup).resources).toEqual(resources);
  });

  it('show requested CPU values below the minimum of the kernel', () => {
    const resources = { requests: { cpu: '1m' }, limits: { cpu: '5m' } };
    const pod = testPod({ spec: { resources }, status: running });
    expect(podLevelResources(pod, {}, { cpuRequestMillis: 2, cpuLimitMillis: 10 }).resources).toEqual(resources);
    expect(podLevelResources(pod, {}, { cpuRequestMillis: 3, cpuLimitMillis: 11 }).resources).toEqual({
      requests: { cpu: '3m' },
      limits: { cpu: '11m' },
    });
  });

  it('reports the previous values or the allocation with overhead where the cgroup has no value', () => {
    const resources = { requests: { cpu: '500m' }, limits: { cpu: '1' } };
    const pod = testPod({ containers, spec: { resources, overhead: { cpu: '100m' } }, status: running });
    expect(podLevelResources(pod, {}, {}).resources).toEqual({
      requests: { cpu: '600m', memory: '64Mi' },
      limits: { cpu: '1100m' },
    });
    const previous = { phase: 'Running', resources: { requests: { cpu: '700m' }, limits: { cpu: '3' } } } as const;
    expect(podLevelResources(pod, previous, {}).resources).toEqual({
      requests: { cpu: '700m', memory: '64Mi' },
      limits: { cpu: '3' },
    });
  });

  it('include overhead in requests and in existing limits, and no values from before the pod ran', () => {
    const resources = { requests: { cpu: '0', memory: '1Gi' }, limits: { cpu: '0' } };
    const overhead = { cpu: '100m', memory: '10Mi' };
    const pod = testPod({ containers, spec: { resources, overhead }, status: running });
    const previous: PodStatus = { phase: 'Pending', resources: { requests: { cpu: '9' }, limits: { cpu: '9' } } };
    expect(podLevelResources(pod, previous, {}).resources).toEqual({
      requests: { cpu: '100m', memory: '1034Mi' },
      limits: { cpu: '0' },
    });
    const reported: PodStatus = { phase: 'Running', resources: { requests: { memory: '2Gi' } } };
    expect(podLevelResources(pod, reported, {}).resources.requests).toEqual({ cpu: '100m', memory: '2Gi' });
  });

  it('returns nothing for a pod without any', () => {
    const actuated = { requests: { cpu: '1' } };
    expect(podLevelResources({}, {}, {}, actuated)).toStrictEqual({ resources: {} });
    expect(podLevelResources({ status: running }, {}, {})).toStrictEqual({ resources: {} });
    expect(podLevelResources(testPod({ status: running }), {}, {})).toStrictEqual({ resources: {} });
  });

  it('returns the allocated ones of a running pod without a readable cgroup', () => {
    const resources = { requests: { cpu: '500m' }, limits: { cpu: '1' } };
    const pod = testPod({ spec: { resources }, status: running });
    const previous: PodStatus = { phase: 'Running', resources: { requests: { cpu: '9' } } };
    expect(podLevelResources(pod, previous, undefined).resources).toEqual(resources);
  });

  it('shows the minimum of the kernel when more is requested, and requests at the minimum as they are written', () => {
    const requested = (cpu: string): unknown =>
      podLevelResources(
        testPod({ spec: { resources: { requests: { cpu } } }, status: running }),
        {},
        {
          cpuRequestMillis: 2,
        },
      ).resources.requests;
    expect(requested('500m')).toEqual({ cpu: '2m' });
    expect(requested('0.002')).toEqual({ cpu: '0.002' });
  });

  it('keeps memory limits without a value of the cgroup', () => {
    const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } };
    const pod = testPod({ spec: { resources, overhead: { memory: '10Mi' } }, status: running });
    const withOverhead = { requests: { cpu: '1', memory: '1034Mi' }, limits: { memory: '1034Mi' } };
    expect(podLevelResources(pod, {}, {}).resources).toEqual(withOverhead);
    const previous: PodStatus = { phase: 'Running', resources: { limits: { memory: '2Gi' } } };
    expect(podLevelResources(pod, previous, {}).resources).toEqual({ ...withOverhead, limits: { memory: '2Gi' } });
  });
});
