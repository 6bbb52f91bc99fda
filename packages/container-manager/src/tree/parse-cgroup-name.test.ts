import { describe, expect, it } from 'vitest';
import { parseCgroupName } from './parse-cgroup-name.ts';

describe('parseCgroupName', () => {
  it('reads paths of cgroupfs and slices of systemd', () => {
    expect(parseCgroupName('/', 'cgroupfs')).toEqual([]);
    expect(parseCgroupName('/kube/reserved', 'cgroupfs')).toEqual(['kube', 'reserved']);
    expect(parseCgroupName('/kube.slice/kube-reserved_a.slice', 'systemd')).toEqual(['kube', 'reserved-a']);
    expect(parseCgroupName('system.slice', 'systemd')).toEqual(['system']);
  });
});
