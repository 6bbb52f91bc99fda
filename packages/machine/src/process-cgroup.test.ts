import { describe, expect, it } from 'vitest';
import { cgroupOfProcess, ProcessCgroupError } from './process-cgroup.ts';

describe('cgroupOfProcess', () => {
  it('returns the only cgroup of version 2', () => {
    expect(cgroupOfProcess('0::/system.slice/rxlet.service\n')).toBe('/system.slice/rxlet.service');
  });

  it.each([
    ['4:memory:/a\n3:cpuset:/\n2:cpu,cpuacct:/a\n0::/\n', '/a'],
    ['4:memory:/a\n2:cpu,cpuacct:/a\n1:name=systemd:/a/b\n', '/a/b'],
    ['4:memory:/a\n', undefined],
    ['', undefined],
  ])('returns that of systemd or of the CPU with version 1: %j', (text, expected) => {
    expect(cgroupOfProcess(text)).toBe(expected);
  });

  it('rejects different cgroups for CPU and memory', () => {
    const message = 'cpu and memory cgroup hierarchy not unified.  cpu: /, memory: /a';
    expect(() => cgroupOfProcess('4:memory:/a\n1:cpu:/\n')).toThrow(new ProcessCgroupError(message));
  });
});
