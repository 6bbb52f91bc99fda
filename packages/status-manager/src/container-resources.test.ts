import type { ContainerStatus, ResourceRequirements } from '@rxlet/kube-api';
import type { RuntimeContainerResources } from '@rxlet/pod-model/runtime';
import { testContainerStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { containerResources } from './container-resources.ts';

const allocated: ResourceRequirements = {
  limits: { cpu: '1', memory: '256Mi', 'example.com/gpu': '1' },
  requests: { cpu: '500m', memory: '128Mi' },
};

const reported = (
  resources: RuntimeContainerResources | undefined,
  {
    state = 'running' as const,
    spec = allocated,
    previous,
    actuated,
  }: {
    state?: 'running' | 'exited';
    spec?: ResourceRequirements;
    previous?: ResourceRequirements;
    actuated?: ResourceRequirements;
  } = {},
): ResourceRequirements =>
  containerResources(
    { resources: spec },
    testContainerStatus({ state, ...(resources && { resources }) }),
    previous && ({ state: { running: {} }, resources: previous } as ContainerStatus),
    actuated,
  );

describe('containerResources', () => {
  it('shows the values that the runtime applies to a running container, and allocated values for the rest', () => {
    const resources = reported({
      cpuLimitMillis: 2000,
      memoryLimitBytes: 512 * 2 ** 20,
      cpuRequestMillis: 750,
      memoryRequestBytes: 2 ** 30,
    });
    expect(resources).toEqual({
      limits: { cpu: '2', memory: '512Mi', 'example.com/gpu': '1' },
      requests: { cpu: '750m', memory: '1Gi' },
    });
  });

  it('shows allocated resources of a container that is not running', () => {
    expect(reported({ cpuLimitMillis: 2000 }, { state: 'exited' })).toEqual(allocated);
  });

  it('shows actuated resources for values that the runtime does not report', () => {
    const previous = { limits: { cpu: '1', memory: '256Mi' }, requests: { cpu: '500m', memory: '128Mi' } };
    const actuated = { limits: { cpu: '2', memory: '512Mi' }, requests: { cpu: '1', memory: '192Mi' } };
    expect(reported(undefined, { previous, actuated })).toEqual({
      limits: { cpu: '2', memory: '512Mi', 'example.com/gpu': '1' },
      requests: { cpu: '1', memory: '192Mi' },
    });
    // As containerd reports it: no memory request. A limit that is not in effect yet is shown as reported.
    const applied = { cpuLimitMillis: 2000, cpuRequestMillis: 1000, memoryLimitBytes: 256 * 2 ** 20 };
    expect(reported(applied, { previous, actuated })).toEqual({
      limits: { cpu: '2', memory: '256Mi', 'example.com/gpu': '1' },
      requests: { cpu: '1', memory: '192Mi' },
    });
  });

  it('takes unreported values from the previous status or the allocation', () => {
    const previous = { limits: { cpu: '3' }, requests: { memory: '64Mi' } };
    expect(reported({ memoryLimitBytes: 2 ** 30 }, { previous })).toEqual({
      limits: { cpu: '3', memory: '1Gi', 'example.com/gpu': '1' },
      requests: { cpu: '500m', memory: '64Mi' },
    });
    expect(reported(undefined)).toEqual(allocated);
    const claims = [{ name: 'gpu' }];
    expect(reported({ cpuLimitMillis: 2000 }, { spec: { claims } })).toEqual({ claims });
  });

  it('shows requested CPU values below the minimum of the kernel', () => {
    const spec = { limits: { cpu: '1m' }, requests: { cpu: '1m' } };
    expect(reported({ cpuLimitMillis: 10, cpuRequestMillis: 2 }, { spec })).toEqual(spec);
    expect(reported({ cpuLimitMillis: 11, cpuRequestMillis: 3 }, { spec })).toEqual({
      limits: { cpu: '11m' },
      requests: { cpu: '3m' },
    });
    expect(reported({ cpuLimitMillis: 10 }, { spec: { limits: { cpu: '20m' } } })).toEqual({ limits: { cpu: '10m' } });
  });

  it('adds no resources that the spec does not have', () => {
    expect(reported({ cpuRequestMillis: 2, memoryLimitBytes: 2 ** 30 }, { spec: {} })).toEqual({});
  });

  it('shows requested CPU values at the minimum of the kernel as they are written', () => {
    const spec = { limits: { cpu: '0.01' }, requests: { cpu: '0.002' } };
    expect(reported({ cpuLimitMillis: 10, cpuRequestMillis: 2 }, { spec })).toEqual(spec);
  });

  it('shows allocated resources when the previous status has none', () => {
    const previous: ContainerStatus = { name: 'app', image: '', imageID: '', ready: false, restartCount: 0 };
    expect(containerResources({ resources: allocated }, testContainerStatus(), previous, undefined)).toEqual(allocated);
  });
});
