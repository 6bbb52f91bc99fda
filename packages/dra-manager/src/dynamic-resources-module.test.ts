import { podSteps, provide, syncTriggers } from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { kubeClients } from '@rxlet/agent-api/kube';
import { type PluginHandler, pluginRegistry } from '@rxlet/agent-api/plugins';
import { supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { podStatusContributors } from '@rxlet/agent-api/statuses';
import { contributionsTo, createModuleContext } from '@rxlet/agent-api/testing';
import type { KubeClients } from '@rxlet/kube-api/client';
import { describe, expect, it } from 'vitest';
import { dynamicResources, type DynamicResourcesOptions } from './dynamic-resources-module.ts';

function setUp(options?: DynamicResourcesOptions) {
  const handlers: PluginHandler[] = [];
  const services = [
    provide(kubeClients, { main: {} } as KubeClients),
    provide(pluginRegistry, { addHandler: (handler) => void handlers.push(handler) }),
  ];
  return { handlers, parts: dynamicResources(options).setup(createModuleContext({ services }))! };
}

describe('dynamicResources', () => {
  it('handles the plugins of DRA drivers, and supports the fields of claims', () => {
    const { handlers, parts } = setUp();
    expect(handlers.map(({ type }) => type)).toEqual(['DRAPlugin']);
    expect(contributionsTo(parts, supportedPodFields)).toEqual([
      'spec.resourceClaims',
      'spec.initContainers[*].resources.claims',
      'spec.containers[*].resources.claims',
      'spec.ephemeralContainers[*].resources.claims',
    ]);
    expect(contributionsTo(parts, podSteps)).toHaveLength(1);
    expect(contributionsTo(parts, containerSteps)).toHaveLength(1);
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('reports the health of devices when that is %j', (resourceHealthStatus, count) => {
    const { parts } = setUp({ resourceHealthStatus });
    expect(contributionsTo(parts, podStatusContributors)).toHaveLength(count);
    expect(contributionsTo(parts, syncTriggers)).toHaveLength(count);
  });
});
