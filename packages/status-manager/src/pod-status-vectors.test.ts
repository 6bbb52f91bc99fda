import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { generatePodStatus } from './generate-pod-status.ts';
import { podStatusVectorInput, type PodStatusVector } from './pod-status-vector.ts';

const vectors = gunzipSync(readFileSync(new URL('./fixtures/pod-status.jsonl.gz', import.meta.url)))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as PodStatusVector);

/** Go writes the zero time as null; here it is left out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

describe('recorded statuses of kubelet 1.36', () => {
  it('has all of them', () => {
    expect(vectors).toHaveLength(1000);
  });

  it('generates the same status for each', () => {
    for (const vector of vectors) {
      const generated = withoutNulls(generatePodStatus(podStatusVectorInput(vector)));
      expect(generated, vector.name).toEqual(withoutNulls(vector.want));
    }
  });

  it('changes nothing that it was given', () => {
    for (const vector of vectors.slice(0, 100)) {
      const before = structuredClone(vector);
      generatePodStatus(podStatusVectorInput(vector));
      expect(vector).toEqual(before);
    }
  });
});
