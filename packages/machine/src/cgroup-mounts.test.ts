import { describe, expect, it } from 'vitest';
import { parseCgroupMounts } from './cgroup-mounts.ts';

describe('parseCgroupMounts', () => {
  it('finds the hierarchies of cgroup v1, joint and named ones, and cgroup v2 besides', () => {
    const { hierarchies, unified } = parseCgroupMounts(`proc /proc proc rw 0 0
tmpfs /sys/fs/cgroup tmpfs ro 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nsdelegate 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,nosuid,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,nosuid,memory 0 0
cgroup /sys/fs/cgroup/systemd cgroup rw,xattr,name=systemd 0 0
cgroup /mnt/with\\040blank cgroup rw,pids 0 0
cgroup /mnt/again cgroup rw,memory 0 0
`);
    expect([...hierarchies]).toEqual([
      ['cpu', '/sys/fs/cgroup/cpu,cpuacct'],
      ['cpuacct', '/sys/fs/cgroup/cpu,cpuacct'],
      ['memory', '/sys/fs/cgroup/memory'],
      ['name=systemd', '/sys/fs/cgroup/systemd'],
      ['pids', '/mnt/with blank'],
    ]);
    expect(unified).toBe('/sys/fs/cgroup/unified');
  });

  it('finds cgroup v2 alone', () => {
    const { hierarchies, unified } = parseCgroupMounts('cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n');
    expect([hierarchies.size, unified]).toEqual([0, '/sys/fs/cgroup']);
  });
});
