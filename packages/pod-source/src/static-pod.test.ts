import { describe, expect, it } from 'vitest';
import { testPod } from '@rxlet/pod-model/testing';
import { makeStaticPod } from './static-pod.ts';

const options = { nodeName: 'Node-1', origin: { file: '/m/a.yaml' } };

describe('makeStaticPod', () => {
  it('ties the pod to its node', () => {
    const pod = makeStaticPod(
      { metadata: { name: 'web', annotations: { a: 'b' } }, spec: { containers: [] } },
      options,
    );
    expect(pod).toEqual({
      metadata: {
        name: 'web-node-1',
        namespace: 'default',
        uid: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        annotations: { a: 'b', 'kubernetes.io/config.hash': pod.metadata!.uid },
      },
      spec: { containers: [], nodeName: 'Node-1', tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
      status: { phase: 'Pending' },
    });
  });

  it('keeps a UID and a namespace that are given', () => {
    const pod = makeStaticPod(testPod({ uid: 'mine', namespace: 'kube-system' }), options);
    expect(pod.metadata).toMatchObject({
      uid: 'mine',
      namespace: 'kube-system',
      annotations: { 'kubernetes.io/config.hash': 'mine' },
    });
  });

  it('adds the toleration to others, once, and only for files', () => {
    const other = { key: 'a', operator: 'Exists' } as const;
    const own = { operator: 'Exists', effect: 'NoExecute' } as const;
    const tolerationsOf = (given: readonly object[], origin: { file: string } | { url: string }): unknown =>
      makeStaticPod(testPod({ spec: { tolerations: given } }), { nodeName: 'n', origin }).spec?.tolerations;
    expect(tolerationsOf([other], { file: '/a' })).toEqual([other, own]);
    expect(tolerationsOf([own], { file: '/a' })).toEqual([own]);
    expect(tolerationsOf([other], { url: 'http://a' })).toEqual([other]);
  });

  it('takes nothing from the status in a manifest', () => {
    const pod = testPod({ uid: 'u' });
    const copied = makeStaticPod({ ...pod, status: { phase: 'Running', podIP: '10.0.0.1' } }, options);
    expect(copied).toEqual(makeStaticPod(pod, options));
    expect(copied.status).toEqual({ phase: 'Pending' });
  });

  it('does not change the pod it is given', () => {
    const pod = testPod();
    const before = structuredClone(pod);
    makeStaticPod(pod, options);
    expect(pod).toEqual(before);
  });
});
