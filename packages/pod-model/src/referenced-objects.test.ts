import { describe, expect, it } from 'vitest';
import { referencedObjects } from './referenced-objects.ts';
import { testPod } from './testing.ts';

describe('referencedObjects', () => {
  it('returns each object once, in order', () => {
    const env = ['b', 'a', 'b'].map((name) => ({
      name: 'E',
      valueFrom: { configMapKeyRef: { name, key: 'k' }, secretKeyRef: { name, key: 'k' } },
    }));
    const pod = testPod({ containers: [{ env }], spec: { imagePullSecrets: [{ name: 'a' }, {}] } });
    expect(referencedObjects(pod).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'Secret a',
      'ConfigMap b',
      'Secret b',
      'ConfigMap a',
    ]);
  });

  it('takes time linear in the number of objects, which the author of a pod chooses', () => {
    const imagePullSecrets = Array.from({ length: 200_000 }, (_none, index) => ({ name: `s${String(index)}` }));
    const pod = testPod({ spec: { imagePullSecrets } });
    expect(referencedObjects(pod)).toHaveLength(200_000);
  });
});
