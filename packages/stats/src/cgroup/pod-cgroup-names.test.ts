import { describe, expect, it } from 'vitest';
import { containerIdOf, podUidOf } from './pod-cgroup-names.ts';

describe('names of cgroups', () => {
  it('show the pod, of both drivers', () => {
    expect(podUidOf('/kubepods/burstable/pod0a1b-2c')).toBe('0a1b-2c');
    expect(podUidOf('/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a1b_2c.slice')).toBe('0a1b-2c');
    expect(podUidOf('/kubepods/burstable')).toBeUndefined();
    expect(podUidOf('/kubepods.slice/kubepods-besteffort.slice')).toBeUndefined();
  });

  it('show the container, of both drivers', () => {
    expect(containerIdOf('/kubepods/podx/0123abcd')).toBe('0123abcd');
    expect(containerIdOf('/kubepods.slice/kubepods-podx.slice/cri-containerd-0123abcd.scope')).toBe('0123abcd');
  });
});
