import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
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
