import type { Pod, SELinuxOptions } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { contextOption, mountLabel } from './mount-label.ts';

const FILE = 'system_u:object_r:container_file_t:s0';

describe('mountLabel', () => {
  const policy = { fileContext: FILE };
  const volume = { podVolumeName: 'data', accessModes: ['ReadWriteOncePod'], isSupported: true };
  const podWith = (ofPod?: SELinuxOptions, ...ofContainers: (SELinuxOptions | undefined)[]): Pod => ({
    spec: {
      ...(ofPod && { securityContext: { seLinuxOptions: ofPod } }),
      containers: ofContainers.map((seLinuxOptions, index) => ({
        name: `c${String(index)}`,
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
        ...(seLinuxOptions && { securityContext: { seLinuxOptions } }),
      })),
    },
  });
  const level = (text: string): SELinuxOptions => ({ level: text });

  it('is that of the containers which use the volume', () => {
    expect(mountLabel(policy, podWith(level('s0:c1,c2'), undefined), volume)).toBe(
      'system_u:object_r:container_file_t:s0:c1,c2',
    );
    const own = { user: 'unconfined_u', type: 'spc_t', level: 's0:c3' };
    expect(mountLabel(policy, podWith(level('s0:c1'), own), volume)).toBe(
      'unconfined_u:object_r:container_file_t:s0:c3',
    );
    expect(mountLabel(policy, podWith(undefined, undefined), volume)).toBe('');
    expect(mountLabel(policy, podWith({ type: 'spc_t' }, undefined), volume)).toBe('');
  });

  it('is for supported volumes of a single pod only, on a node with SELinux', () => {
    const pod = podWith(level('s0:c1'), undefined);
    expect(mountLabel(undefined, pod, volume)).toBe('');
    expect(mountLabel(policy, pod, { ...volume, isSupported: false })).toBe('');
    expect(mountLabel(policy, pod, { ...volume, accessModes: ['ReadWriteOnce'] })).toBe('');
    expect(mountLabel(policy, pod, { ...volume, podVolumeName: 'other' })).toBe('');
    const securityContext = { seLinuxOptions: level('s0:c1'), seLinuxChangePolicy: 'Recursive' as const };
    expect(mountLabel(policy, { spec: { ...pod.spec!, securityContext } }, volume)).toBe('');
  });

  it('must be the same for all containers', () => {
    const pod = podWith(undefined, level('s0:c1'), level('s0:c2'));
    expect(() => mountLabel(policy, pod, volume)).toThrow(
      'multiple SELinux labels found: system_u:object_r:container_file_t:s0:c1,system_u:object_r:container_file_t:s0:c2',
    );
    expect(mountLabel(policy, pod, { ...volume, accessModes: ['ReadWriteMany'] })).toBe('');
  });

  it('is quoted as a mount option', () => {
    expect(contextOption('u:r:t:s0:c1,c2')).toEqual(['context="u:r:t:s0:c1,c2"']);
    expect(contextOption('')).toEqual([]);
  });
});
