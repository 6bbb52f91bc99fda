import { describe, expect, it } from 'vitest';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';

describe('applyJsonPatch', () => {
  it.each<[string, unknown, object[], unknown]>([
    ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['inserts into a list', [1, 3], [{ op: 'add', path: '/1', value: 2 }], [1, 2, 3]],
    ['appends to a list', [1], [{ op: 'add', path: '/-', value: 2 }], [1, 2]],
    ['removes from a list', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
    ['replaces the document', { a: 1 }, [{ op: 'replace', path: '', value: 5 }], 5],
    ['moves a member', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    [
      'copies a value',
      { a: { x: 1 } },
      [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'replace', path: '/b/x', value: 2 },
      ],
      { a: { x: 1 }, b: { x: 2 } },
    ],
    [
      'reads escaped names',
      { 'a/b': 1, 'c~d': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/c~0d' },
      ],
      {},
    ],
    ['tests deeply', { a: { x: [1] } }, [{ op: 'test', path: '/a', value: { x: [1] } }], { a: { x: [1] } }],
  ])('%s', (_, document, patch, expected) => {
    const before = structuredClone(document);
    expect(applyJsonPatch(document, patch)).toEqual(expected);
    expect(document).toEqual(before);
  });

  it.each<[object[], string]>([
    [[{ op: 'remove', path: '/missing' }], 'does not exist'],
    [[{ op: 'replace', path: '/missing', value: 1 }], 'does not exist'],
    [[{ op: 'add', path: '/missing/x', value: 1 }], 'does not exist'],
    [[{ op: 'add', path: '/list/5', value: 1 }], 'does not exist'],
    [[{ op: 'add', path: '/list/01', value: 1 }], 'does not exist'],
    [[{ op: 'remove', path: '/list/-' }], 'does not exist'],
    [[{ op: 'test', path: '/a', value: 2 }], 'testing value /a failed'],
    [[{ op: 'invent', path: '/a' }], 'unexpected kind'],
    [[{ op: 'remove', path: 'a' }], 'malformed pointer'],
    [[{ op: 'remove', path: '/constructor' }], 'does not exist'],
  ])('rejects %j', (patch, message) => {
    expect(() => applyJsonPatch({ a: 1, list: [1] }, patch)).toThrow(message);
  });

  it('sets __proto__ as a member like any other', () => {
    const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]) as {
      polluted?: boolean;
    };
    expect([patched.polluted, ({} as { polluted?: boolean }).polluted]).toEqual([undefined, undefined]);
  });
});

describe('applyMergePatch', () => {
  it('merges objects, replaces all else, and deletes by null', () => {
    expect(applyMergePatch({ a: { x: 1, y: 2 }, b: [1] }, { a: { x: null, z: 3 }, b: [2], c: { d: null } })).toEqual({
      a: { y: 2, z: 3 },
      b: [2],
      c: {},
    });
    expect(applyMergePatch([1], { a: 1 })).toEqual({ a: 1 });
  });
});
