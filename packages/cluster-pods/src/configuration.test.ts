import { createNodeConfiguration } from '@rxlet/agent-api/testing';
import { describe, expect, it } from 'vitest';
import { clusterPodsConfiguration } from './configuration.ts';

const optionsOf = (configMapAndSecretChangeDetectionStrategy?: string) =>
  clusterPodsConfiguration
    .find(({ name }) => name === 'cluster-objects')
    ?.options?.(createNodeConfiguration({ configuration: { configMapAndSecretChangeDetectionStrategy } }));

describe('clusterPodsConfiguration', () => {
  it.each(['Watch', 'Cache', 'Get'])('keeps ConfigMaps and Secrets up to date by %s', (strategy) => {
    expect(optionsOf(strategy)).toEqual({ changeDetection: strategy });
  });

  it('watches them by default, and rejects unknown strategies', () => {
    expect(optionsOf()).toEqual({ changeDetection: 'Watch' });
    expect(() => optionsOf('Poll')).toThrow('unknown configmap and secret manager mode: Poll');
  });
});
