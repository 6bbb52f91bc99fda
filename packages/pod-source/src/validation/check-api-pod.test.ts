import { testPod } from '@rxlet/pod-model/testing';
import { expect, it } from 'vitest';
import { apiPodCheck } from './check-api-pod.ts';

it('gives a pod the defaults of the API, or names the fields that fail its validation', () => {
  const [good, bad] = ['ok', ' spaces'].map((image) => testPod({ spec: { containers: [{ name: 'c', image }] } }));
  const check = apiPodCheck();
  expect(check(good!)).toMatchObject({ pod: { spec: { restartPolicy: 'Always' } } });
  expect(check(bad!)).toMatchObject({ problems: [{ field: 'spec.containers[0].image' }] });
});
