import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { cgroupPath, podCgroupName, podsCgroupName, qosCgroupName } from './pod-cgroup-name.ts';

const amounts = { cpu: '1', memory: '1Gi' };
const uid = '9acb0442-1111-2222';

function pod(resources: NonNullable<Pod['spec']>['resources']): Pod {
  return { metadata: { uid }, spec: { containers: [{ name: 'c', resources: resources ?? {} }] } };
}

describe('the cgroup of a pod', () => {
  it.each([
    ['Guaranteed', { limits: amounts, requests: amounts }, '/kubepods', '/kubepods.slice/kubepods'],
    [
      'Burstable',
      { requests: amounts },
      '/kubepods/burstable',
      '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable',
    ],
    ['BestEffort', {}, '/kubepods/besteffort', '/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort'],
  ])('is below the QoS class: %s', (_, resources, cgroupfs, systemd) => {
    const name = podCgroupName(pod(resources));
    expect(cgroupPath(name, 'cgroupfs')).toBe(`${cgroupfs}/pod9acb0442-1111-2222`);
    expect(cgroupPath(name, 'systemd')).toBe(`${systemd}-pod9acb0442_1111_2222.slice`);
  });
});

describe('cgroupPath', () => {
  it('formats the parents of pod cgroups', () => {
    expect(cgroupPath([], 'cgroupfs')).toBe('/');
    expect(cgroupPath([], 'systemd')).toBe('/');
    expect(cgroupPath(podsCgroupName, 'systemd')).toBe('/kubepods.slice');
    expect(cgroupPath(qosCgroupName('Burstable'), 'systemd')).toBe('/kubepods.slice/kubepods-burstable.slice');
    expect(cgroupPath(['my-root', ...podsCgroupName], 'systemd')).toBe('/my_root.slice/my_root-kubepods.slice');
  });

  it.each(['', '.', '..', 'a/b', '/', 'a\0b'])('rejects %j', (part) => {
    for (const driver of ['cgroupfs', 'systemd'] as const) {
      expect(() => cgroupPath([...podsCgroupName, part], driver)).toThrow(RangeError);
    }
  });

  it('keeps a pod with a forged UID below the cgroup of the pods', () => {
    const name = podCgroupName({ metadata: { uid: '/../../system.slice' }, spec: { containers: [] } });
    expect(() => cgroupPath(name, 'cgroupfs')).toThrow('invalid cgroup name');
  });
});
