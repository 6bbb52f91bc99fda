import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Pod } from '@rxlet/kube-api';
import { fieldOf, tables, type TypeName, type ValueTable } from '@rxlet/kube-api/tables';
import { formatQuantity, parseQuantity } from '@rxlet/pod-model/quantity';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePod } from './encode-pod.ts';
import { PodEncodingError } from './encoding-error.ts';
import { decodeMessage } from './test-support-decode.ts';
import { arbitraryPod, recordedPods } from './test-support-pods.ts';
import { wireFields } from './wire-fields.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const POD = 'io.k8s.api.core.v1.Pod';
const recorded = await recordedPods();

describe('encodePod', () => {
  it.each(recorded.map((each) => [each.pod.metadata?.name, each] as const))(
    'encodes the pod %s as Kubernetes does',
    (_name, { pod, protobuf }) => {
      expect(Buffer.from(encodePod(pod)).toString('hex')).toBe(Buffer.from(protobuf, 'base64').toString('hex'));
    },
  );

  it('loses nothing of any pod but fractions of seconds and the form of quantities', () => {
    fc.assert(
      fc.property(arbitraryPod(), (pod) => {
        expect(normalized(POD, decodeMessage(POD, encodePod(pod)))).toEqual(normalized(POD, pod as JsonObject));
      }),
      { numRuns: 200 },
    );
  });

  it('writes the zero values of absent fields', () => {
    expect(decodeMessage(POD, encodePod({}))).toMatchObject({
      metadata: { name: '', generation: 0, creationTimestamp: null },
      spec: { hostNetwork: false },
      status: { phase: '' },
    });
  });

  it('sorts maps by the bytes of their keys', () => {
    const labels = { '\u{1F600}': '', '\uFF5E': '', b: '', a: '' };
    const decoded = decodeMessage(POD, encodePod({ metadata: { labels } }));
    expect(Object.keys((decoded['metadata'] as { labels: object }).labels)).toEqual(['a', 'b', '\uFF5E', '\u{1F600}']);
  });

  it('treats null as absent', () => {
    const pod = { metadata: { name: null, creationTimestamp: null, labels: null }, spec: null, status: null };
    expect(encodePod(pod as unknown as Pod)).toEqual(encodePod({}));
  });

  it.each([2n ** 60n, 2n ** 63n - 1n])('encodes the integer %s, which is valid in the API', (expected) => {
    const pod = { spec: { tolerations: [{ tolerationSeconds: Number(expected) }], containers: [] } };
    const varint = new BinaryWriter().int64(expected).finish();
    expect(Buffer.from(encodePod(pod)).includes(Buffer.from([(5 << 3) | WireType.Varint, ...varint]))).toBe(true);
  });

  it('leaves out the head of the object and fields that the API does not have', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, unknown: 1 };
    expect(encodePod(pod as unknown as Pod)).toEqual(encodePod({ metadata: { name: 'p' } }));
  });

  it.each([
    [{ metadata: { name: 1 } }, 'metadata.name: not a string'],
    [{ spec: { containers: [{ name: 'a' }, { name: 'b', image: {} }] } }, 'spec.containers[1].image: not a string'],
    [{ spec: { containers: {} } }, 'spec.containers: not a list'],
    [{ spec: { volumes: [{ hostPath: '/a' }] } }, 'spec.volumes[0].hostPath: not an object'],
    [{ spec: { priority: 0.5 } }, 'spec.priority: not an integer'],
    [{ spec: { priority: 2 ** 64 } }, 'spec.priority: not an integer'],
    [{ spec: { hostNetwork: 'yes' } }, 'spec.hostNetwork: not a boolean'],
    [{ spec: { overhead: { cpu: 'much' } } }, /^spec\.overhead\["cpu"\]: .*much/],
    [{ status: { startTime: 'noon' } }, 'status.startTime: not a time'],
  ])('rejects %j', (pod, message) => {
    const encode = (): Uint8Array => encodePod(pod as unknown as Pod);
    expect(encode).toThrow(PodEncodingError);
    expect(encode).toThrow(message);
  });
});

describe('wireFields', () => {
  it('has all fields of the API of a pod, and no others', () => {
    const types = [...reachable(POD)];
    expect(types.length).toBeGreaterThan(120);
    for (const type of types) {
      const fields = Object.keys(tables[type].fields);
      // The head of an object is not a part of its message.
      const expected = type === POD ? fields.filter((name) => name !== 'apiVersion' && name !== 'kind') : fields;
      expect([type, ...namesOf(shortName(type)).toSorted()]).toEqual([type, ...expected.toSorted()]);
    }
  });

  it('has ascending numbers, by which fields are written', () => {
    for (const fields of Object.values(wireFields)) {
      const numbers = [...fields.matchAll(/:(\d+)/g)].map(([, digits]) => Number(digits));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);
    }
  });
});

function shortName(type: TypeName): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

function namesOf(message: string): string[] {
  return wireFields[message]!.trim()
    .split(/\s+/)
    .flatMap((entry) => {
      const inner = /^\{(\w+)\}/.exec(entry)?.[1];
      return inner === undefined ? [entry.split(':')[0]!] : namesOf(inner);
    });
}

function reachable(type: TypeName, found = new Set<TypeName>()): ReadonlySet<TypeName> {
  if (found.has(type)) return found;
  found.add(type);
  for (const field of Object.values(tables[type].fields)) {
    const value = field.type === 'array' || field.type === 'map' ? field.items : field;
    if (value.type === 'object-ref') reachable(value.ref, found);
  }
  return found;
}

/** Returns an object without the values that stand for absent ones, with whole seconds, and with quantities in canonical form. */
function normalized(type: TypeName, object: JsonObject): JsonObject {
  const entries = Object.entries(object).flatMap(([name, value]) => {
    const field = fieldOf(tables[type], name);
    if (field === undefined || value === null || value === undefined) return [];
    if (type === POD && (name === 'apiVersion' || name === 'kind')) return [];
    const content = normalizedValue(field, value);
    return isPointer(shortName(type), name) || !isZero(field, content) ? [[name, content] as const] : [];
  });
  return Object.fromEntries(entries);
}

function normalizedValue(table: ValueTable, value: unknown): unknown {
  switch (table.type) {
    case 'object-ref':
      return normalized(table.ref, (value ?? {}) as JsonObject);
    case 'array':
      return (value as unknown[]).map((item) => normalizedValue(table.items, item));
    case 'map':
      return Object.fromEntries(
        Object.entries(value as object).map(([key, item]) => [key, normalizedValue(table.items, item)]),
      );
    case 'quantity':
      return formatQuantity(parseQuantity(value as string));
    case 'date-time':
      return Math.floor(Date.parse(value as string) / 1000);
    case 'any':
      return JSON.stringify(value);
    default:
      return value;
  }
}

function isZero(table: ValueTable, value: unknown): boolean {
  if (typeof value === 'object') return Object.keys(value!).length === 0;
  return value === '' || value === 0 || value === false || (table.type === 'quantity' && value === '0');
}

function isPointer(message: string, name: string): boolean {
  const entries = wireFields[message]!.trim().split(/\s+/);
  const inner = entries.flatMap((entry) => /^\{(\w+)\}/.exec(entry)?.[1] ?? []);
  return (
    entries.some((entry) => entry.startsWith(`${name}:`) && entry.endsWith('?')) ||
    inner.some((each) => isPointer(each, name))
  );
}
