import type { Container } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { crashLoopKey } from './crash-loop-key.ts';

const keyOf = (container: Partial<Container>, name = 'web'): string => {
  const pod = testPod({ name, containers: [{ name: 'app', image: 'app:1', ...container }] });
  return crashLoopKey(pod, pod.spec!.containers[0]!);
};

describe('crashLoopKey', () => {
  it('differs by pod, container, image and resources, and by nothing else', () => {
    const keys = [
      keyOf({}),
      keyOf({}, 'other'),
      keyOf({ name: 'b' }),
      keyOf({ image: 'app:2' }),
      keyOf({ resources: { limits: { cpu: '1' } } }),
      keyOf({ resources: { requests: { cpu: '1' } } }),
      keyOf({ resources: { limits: { cpu: '2' } } }),
      keyOf({ resources: { limits: { memory: '1' } } }),
      keyOf({ resources: { claims: [{ name: 'gpu' }] } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(keyOf({ command: ['other'], env: [{ name: 'A', value: '1' }] })).toBe(keyOf({}));
    expect(keyOf({ resources: {} })).toBe(keyOf({}));
    expect(keyOf({ resources: { limits: { memory: '1Gi', cpu: '1000m' } } })).toBe(
      keyOf({ resources: { limits: { cpu: 1, memory: '1024Mi' } } }),
    );
  });
});
