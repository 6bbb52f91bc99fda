import type { ContainerStatus, ResourceRequirements } from '@rxlet/kube-api';
import type { RuntimeContainerResources } from '@rxlet/pod-model';
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
  }: {
    state?: 'running' | 'exited';
    spec?: ResourceRequirements;
    previous?: ResourceRequirements;
  } = {},
): ResourceRequirements =>
  containerResources(
    { resources: spec },
    testContainerStatus({ state, ...(resources && { resources }) }),
    previous && ({ state: { running: {} }, resources: previous } as ContainerStatus),
  );

describe('containerResources', () => {
  it('shows what the runtime applies to a running container, and what was allocated of the rest', () => {
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

  it('shows what was allocated to a container that does not run', () => {
    expect(reported({ cpuLimitMillis: 2000 }, { state: 'exited' })).toEqual(allocated);
  });

  it('takes what the runtime does not say from the previous status, or the allocation', () => {
    const previous = { limits: { cpu: '3' }, requests: { memory: '64Mi' } };
    expect(reported({ memoryLimitBytes: 2 ** 30 }, { previous })).toEqual({
      limits: { cpu: '3', memory: '1Gi', 'example.com/gpu': '1' },
      requests: { cpu: '500m', memory: '64Mi' },
    });
    expect(reported(undefined)).toEqual(allocated);
    const claims = [{ name: 'gpu' }];
    expect(reported({ cpuLimitMillis: 2000 }, { spec: { claims } })).toEqual({ claims });
  });

  it('does not show the least that a kernel can apply in place of what was asked for', () => {
    const spec = { limits: { cpu: '1m' }, requests: { cpu: '1m' } };
    expect(reported({ cpuLimitMillis: 10, cpuRequestMillis: 2 }, { spec })).toEqual(spec);
    expect(reported({ cpuLimitMillis: 11, cpuRequestMillis: 3 }, { spec })).toEqual({
      limits: { cpu: '11m' },
      requests: { cpu: '3m' },
    });
    expect(reported({ cpuLimitMillis: 10 }, { spec: { limits: { cpu: '20m' } } })).toEqual({ limits: { cpu: '10m' } });
  });

  it('sets nothing that the spec does not have', () => {
    expect(reported({ cpuRequestMillis: 2, memoryLimitBytes: 2 ** 30 }, { spec: {} })).toEqual({});
  });
});
