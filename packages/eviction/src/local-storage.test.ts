import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { FileSystemLayout, PodUse } from './node-summary.ts';
import { evictLocalStorage } from './local-storage.ts';
import { MI } from './test-support.ts';

const limits = (amount: string) => ({ resources: { limits: { 'ephemeral-storage': amount } } });
const uid = 'uid-web';
const evict = (pod: Pod, use: Omit<PodUse, 'podRef'>, layout: FileSystemLayout = 'shared') =>
  evictLocalStorage([pod], new Map([[uid, { podRef: { uid }, ...use }]]), layout).map(
    ({ cause, message, gracePeriodSeconds }) => ({ cause, message, gracePeriodSeconds }),
  );

describe('evictLocalStorage', () => {
  const emptyDir = (sizeLimit?: string) =>
    testPod({ spec: { volumes: [{ name: 'cache', emptyDir: sizeLimit === undefined ? {} : { sizeLimit } }] } });
  const volume = (usedBytes: number) => ({ containers: null, volume: [{ name: 'cache', usedBytes }] });

  it('evicts a pod that fills its emptyDir', () => {
    expect(evict(emptyDir('10Mi'), volume(10 * MI + 1))).toEqual([
      {
        cause: 'emptydirfs.limit',
        message: 'Usage of EmptyDir volume "cache" exceeds the limit "10Mi". ',
        gracePeriodSeconds: 1,
      },
    ]);
    expect(evict(emptyDir('10Mi'), volume(10 * MI))).toEqual([]);
    expect(evict(emptyDir('0'), volume(1))).toEqual([]);
    expect(evict(emptyDir(), volume(2 ** 50))).toEqual([]);
  });

  it('evicts a pod that uses more than its containers may together', () => {
    const pod = testPod({
      containers: [
        { name: 'a', ...limits('1Gi') },
        { name: 'b', ...limits('1Gi') },
      ],
    });
    const use = (usedBytes: number) => ({ containers: null, 'ephemeral-storage': { usedBytes } });
    expect(evict(pod, use(2049 * MI))).toMatchObject([
      {
        cause: 'ephemeralpodfs.limit',
        message: 'Pod ephemeral local storage usage exceeds the total limit of containers 2Gi. ',
      },
    ]);
    expect(evict(pod, use(2048 * MI))).toEqual([]);
  });

  it('evicts a pod with a container that uses more than it may; its writable layer counts unless images have a file system of their own', () => {
    const pod = testPod({ containers: [{ name: 'a', ...limits('10Mi') }] });
    const containers = [{ name: 'a', logs: { usedBytes: 6 * MI }, rootfs: { usedBytes: 6 * MI } }];
    expect(evict(pod, { containers })).toMatchObject([
      {
        cause: 'ephemeralcontainerfs.limit',
        message: 'Container a exceeded its local ephemeral storage limit "10Mi". ',
      },
    ]);
    expect(evict(pod, { containers }, 'dedicated')).toEqual([]);
    expect(evict(pod, { containers }, 'split')).toEqual([]);
  });

  it('spares critical pods and pods without statistics', () => {
    const critical = emptyDir('1Mi');
    const annotations = { 'kubernetes.io/config.source': 'file' };
    expect(evict({ ...critical, metadata: { ...critical.metadata, annotations } }, volume(5 * MI))).toEqual([]);
    expect(evictLocalStorage([critical], new Map(), 'shared')).toEqual([]);
  });
});
