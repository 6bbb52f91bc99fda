import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyStrategicMerge, StrategicMergeError } from './apply-strategic-merge.ts';
import { type JsonObject, sameValue } from './json-value.ts';
import { strategicDiff } from './strategic-diff.ts';

const pod = { type: 'object-ref', ref: 'io.k8s.api.core.v1.Pod' } as const;
const status = { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodStatus' } as const;
const apply = (object: JsonObject, patch: JsonObject): JsonObject => applyStrategicMerge(object, patch, pod);

describe('applyStrategicMerge', () => {
  it('merges objects, and deletes by null', () => {
    const object = { metadata: { name: 'a', labels: { x: '1', y: '2' } } };
    expect(apply(object, { metadata: { labels: { x: null, z: '3' } } })).toEqual({
      metadata: { name: 'a', labels: { y: '2', z: '3' } },
    });
  });

  it('merges containers by name, with $patch: delete and $patch: replace', () => {
    const object = {
      spec: { containers: [{ name: 'a', image: '1', env: [{ name: 'X', value: '1' }] }, { name: 'b' }] },
    };
    const patched = apply(object, {
      spec: {
        containers: [
          { name: 'a', image: '2', env: [{ name: 'Y', value: '2' }] },
          { name: 'b', $patch: 'delete' },
        ],
      },
    });
    const env = [
      { name: 'X', value: '1' },
      { name: 'Y', value: '2' },
    ];
    expect(patched).toEqual({ spec: { containers: [{ name: 'a', image: '2', env }] } });
    expect(apply(object, { spec: { containers: [{ name: 'c' }, { $patch: 'replace' }] } })).toEqual({
      spec: { containers: [{ name: 'c' }] },
    });
    expect(apply(object, { spec: { $patch: 'replace', nodeName: 'n' } })).toEqual({ spec: { nodeName: 'n' } });
    expect(apply(object, { spec: { $patch: 'delete' } })).toEqual({ spec: {} });
  });

  it('replaces lists without a merge key, and merges finalizers as a set', () => {
    const object = { metadata: { finalizers: ['a', 'b'] }, spec: { containers: [{ name: 'a', command: ['x', 'y'] }] } };
    expect(
      apply(object, { metadata: { finalizers: ['b', 'c'] }, spec: { containers: [{ name: 'a', command: ['z'] }] } }),
    ).toEqual({ metadata: { finalizers: ['a', 'b', 'c'] }, spec: { containers: [{ name: 'a', command: ['z'] }] } });
    expect(apply(object, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } })).toMatchObject({
      metadata: { finalizers: ['b'] },
    });
  });

  it('keeps only the keys that $retainKeys names', () => {
    const object = { spec: { volumes: [{ name: 'v', emptyDir: {} }] } };
    const volumes = [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/' } }];
    expect(apply(object, { spec: { volumes } })).toEqual({
      spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    });
  });

  it('orders items as $setElementOrder does, and leaves others in their place', () => {
    const names = (object: JsonObject): unknown =>
      (object as { spec: { containers: { name: string }[] } }).spec.containers.map(({ name }) => name);
    const object = { spec: { containers: ['a', 'b', 'c'].map((name) => ({ name })) } };
    const order = (...keys: string[]): JsonObject => ({
      '$setElementOrder/containers': keys.map((name) => ({ name })),
    });
    expect(names(apply(object, { spec: order('c', 'a') }))).toEqual(['b', 'c', 'a']);
    expect(names(apply(object, { spec: { ...order('a', 'n', 'b'), containers: [{ name: 'n' }] } }))).toEqual([
      'a',
      'c',
      'n',
      'b',
    ]);
  });

  it('rejects malformed patches', () => {
    for (const patch of [
      { $patch: 'other' },
      { spec: { containers: [{ image: 'x' }] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': 'a' } },
    ]) {
      expect(() => apply({}, patch)).toThrow(StrategicMergeError);
    }
  });

  it('adds no prototype from a patch', () => {
    const patched = apply({}, JSON.parse('{"metadata":{"__proto__":{"polluted":true}}}') as JsonObject);
    expect((patched['metadata'] as { polluted?: boolean }).polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('strategicDiff', () => {
  it('gives a patch that turns one status into the other', () => {
    const condition = fc.record(
      { status: fc.constantFrom('True', 'False'), reason: fc.constantFrom('A', 'B') },
      { requiredKeys: ['status'] },
    );
    const conditions = fc
      .uniqueArray(fc.tuple(fc.constantFrom('A', 'B', 'C', 'D'), condition), { selector: ([type]) => type })
      .map((items) => items.map(([type, rest]) => ({ type, ...rest })));
    const value = fc.record(
      { phase: fc.constantFrom('Pending', 'Running'), conditions, podIPs: fc.array(fc.record({ ip: fc.ipV4() })) },
      { requiredKeys: ['phase'] },
    );
    fc.assert(
      fc.property(value, value, (before, after) => {
        const patch = strategicDiff(before, after, status);
        const result = applyStrategicMerge(before, patch ?? {}, status);
        expect(sameValue(result, after)).toBe(true);
      }),
    );
  });
});
