import { createNodeConfiguration } from '@rxlet/agent-api/testing';
import { expect, it } from 'vitest';
import { toTracing } from './configuration.ts';

it('is off without the field', () => {
  expect(toTracing(createNodeConfiguration({ configuration: {} }), 'node1')).toBeUndefined();
});

it("has the kubelet's endpoint and no sampling by default", () => {
  expect(toTracing(createNodeConfiguration({ configuration: { tracing: {} } }), 'node1')).toEqual({
    endpoint: 'localhost:4317',
    samplingRatePerMillion: 0,
    nodeName: 'node1',
  });
});
