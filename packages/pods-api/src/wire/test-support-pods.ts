import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { Pod } from '@rxlet/kube-api';
import { tables, type TypeName, type ValueTable } from '@rxlet/kube-api/tables';
import * as fc from 'fast-check';

/** A pod in the two formats of an API server. */
export interface RecordedPod {
  readonly pod: Pod;
  /** The protobuf message, in base64. */
  readonly protobuf: string;
}

/**
 * Reads pods that a kube-apiserver 1.36.2 with all feature gates has returned as JSON and as protobuf; two of them set nearly all fields. The pod `named` has only
 * name, namespace and UID; its bytes are those of `Marshal` in Go.
 */
export async function recordedPods(): Promise<readonly RecordedPod[]> {
  const file = await readFile(new URL('../../fixtures/pods.jsonl.gz', import.meta.url));
  return gunzipSync(file)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedPod);
}

/** Generates pods with any fields of the API, which need not make sense together. */
export function arbitraryPod(): fc.Arbitrary<Pod> {
  return arbitraryObject('io.k8s.api.core.v1.Pod') as fc.Arbitrary<Pod>;
}

const objects = new Map<TypeName, fc.Arbitrary<unknown>>();

function arbitraryObject(type: TypeName): fc.Arbitrary<unknown> {
  let object = objects.get(type);
  if (object === undefined) {
    // No type of a pod contains itself.
    const { fields } = tables[type];
    const entries = Object.entries(fields).map(([name, field]) => [name, arbitraryValue(field)] as const);
    object = fc.record(Object.fromEntries(entries), { requiredKeys: [], noNullPrototype: true });
    objects.set(type, object);
  }
  return object;
}

function arbitraryValue(table: ValueTable): fc.Arbitrary<unknown> {
  switch (table.type) {
    case 'object-ref':
      return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, arbitraryObject(table.ref));
    case 'array':
      return fc.array(
        arbitraryValue(table.items).filter((item) => item !== undefined),
        { maxLength: 2 },
      );
    case 'map':
      return fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), arbitraryValue(table.items), {
        maxKeys: 3,
        noNullPrototype: true,
      });
    case 'integer':
      return table.format === 'int32' ? fc.integer() : fc.maxSafeInteger();
    case 'boolean':
      return fc.boolean();
    case 'quantity':
      return fc.constantFrom('0', '100m', '1.5Gi', '1024Ki', '1e6', '0.1', -3, 12);
    case 'int-or-string':
      return fc.oneof(fc.integer(), fc.string());
    case 'date-time':
      return fc
        .date({ noInvalidDate: true, min: new Date('0001-01-02'), max: new Date('9999-12-31') })
        .map((date) => date.toISOString());
    case 'any':
      return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2, noNullPrototype: true });
    case 'string':
      return fc.string({ unit: 'binary', maxLength: 5 });
    case 'number':
      return fc.double();
  }
}
