import { createNodeConfiguration } from '@rxlet/agent-api/testing';
import { describe, expect, it } from 'vitest';
import { dynamicResourcesConfiguration } from './configuration.ts';

describe('dynamicResourcesConfiguration', () => {
  it.each([
    ['DRAExtendedResource', 'extendedResources'],
    ['ResourceHealthStatus', 'resourceHealthStatus'],
    ['ResourceHealthStatusMessage', 'resourceHealthStatusMessage'],
  ])('switches by the gate %s', (gate, option) => {
    const gates = { isEnabled: (name: string) => name === gate };
    const all = { extendedResources: false, resourceHealthStatus: false, resourceHealthStatusMessage: false };
    expect(dynamicResourcesConfiguration.options?.(createNodeConfiguration({ gates }))).toEqual({
      ...all,
      [option]: true,
    });
  });
});
