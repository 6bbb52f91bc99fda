import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { Pod, SELinuxOptions } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { contextOption, mountLabel } from './mount-label.ts';
import { readSeLinuxPolicy } from './selinux-policy.ts';

const MOUNTED = '30 24 0:26 / /sys/fs/selinux rw,relatime shared:5 - selinuxfs selinuxfs rw\n';
const enabled = {
  '/proc/self/mountinfo': `24 1 0:22 / /sys rw - sysfs sysfs rw\n${MOUNTED}`,
  '/proc/self/attr/current': 'system_u:system_r:kubelet_t:s0\0',
};
const FILE = 'system_u:object_r:container_file_t:s0';

describe('readSeLinuxPolicy', () => {
  const read = (files: Readonly<Record<string, string>>) => readSeLinuxPolicy(createMemoryFiles({ files }).hostFiles);

  it('finds none on a node without SELinux, or without a loaded policy', async () => {
    expect(await read({})).toBeUndefined();
    expect(await read({ '/proc/self/mountinfo': '24 1 0:22 / /sys rw - sysfs sysfs rw\n' })).toBeUndefined();
    expect(await read({ ...enabled, '/proc/self/attr/current': 'kernel\0' })).toBeUndefined();
    const readOnly = MOUNTED.replace('rw,relatime', 'ro');
    expect(await read({ ...enabled, '/proc/self/mountinfo': readOnly })).toBeUndefined();
  });

  it('has the context of the files of containers', async () => {
    const contexts = `# comment\nprocess = "system_u:system_r:container_t:s0"\nfile = "${FILE}"\n`;
    expect(await read({ ...enabled, '/usr/share/containers/selinux/contexts': contexts })).toEqual({
      fileContext: FILE,
    });
    const config = 'SELINUX=enforcing\nSELINUXTYPE=mls\n';
    const files = { ...enabled, '/etc/selinux/config': config, '/etc/selinux/mls/contexts/lxc_contexts': contexts };
    expect(await read(files)).toEqual({ fileContext: FILE });
    expect(await read(enabled)).toEqual({ fileContext: '' });
  });
});

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
