import { describe, expect, it } from 'vitest';
import { findTable } from '../find-table.ts';
import { shapeProblem } from './object-shape.ts';

const table = findTable('v1', 'Pod')!;
const pod = (spec: unknown): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec });

describe('the shape of an object', () => {
  it.each<[string, object]>([
    ['nothing but a name', { metadata: { name: 'a' } }],
    ['unknown fields', { ...pod({ containers: [] }), unknown: 5 }],
    ['fields without a value', pod({ containers: null, hostNetwork: null })],
    [
      'both forms of a port and a quantity',
      pod({
        containers: [
          { name: 'c', resources: { limits: { cpu: 1, memory: '1Gi' } }, livenessProbe: { httpGet: { port: 'http' } } },
        ],
      }),
    ],
  ])('may have %s', (_, object) => {
    expect(shapeProblem(object, table)).toBeUndefined();
  });

  it.each<[string, object]>([
    ['spec is a list, expected a mapping', pod([])],
    ['spec.containers is a string, expected a list', pod({ containers: 'secret' })],
    ['spec.containers[1] is null, expected a mapping', pod({ containers: [{ name: 'c' }, null] })],
    ['spec.containers[0].name is a number, expected a string', pod({ containers: [{ name: 5 }] })],
    ['spec.nodeSelector[disk] is a boolean, expected a string', pod({ nodeSelector: { disk: true } })],
    ['spec.priority is a string, expected a number', pod({ priority: '5' })],
    ['spec.hostNetwork is a string, expected true or false', pod({ hostNetwork: 'yes' })],
    ['metadata.labels is a list, expected a mapping', { metadata: { labels: ['x'] } }],
    ['status is a number, expected a mapping', { ...pod({}), status: 5 }],
  ])('is wrong: %s', (problem, object) => {
    expect(shapeProblem(object, table)).toBe(problem);
  });
});
