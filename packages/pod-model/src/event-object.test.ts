import { describe, expect, it } from 'vitest';
import { podEventObject } from './event-object.ts';
import { testPod } from './testing.ts';

describe('podEventObject', () => {
  const pod = testPod({ name: 'web', namespace: 'shop', uid: '42' });

  it('refers to the pod', () => {
    const whole = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', uid: '42' };
    expect(podEventObject(pod)).toStrictEqual(whole);
    expect(podEventObject(pod, '')).toStrictEqual(whole);
  });

  it('refers to a part of it', () => {
    expect(podEventObject(pod, 'spec.containers{app}')).toMatchObject({ uid: '42', fieldPath: 'spec.containers{app}' });
  });
});
