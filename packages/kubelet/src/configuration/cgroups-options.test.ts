import { loadConfiguration } from '@rxlet/kubelet-config';
import type { CgroupsOptions } from '@rxlet/container-manager';
import { describe, expect, it } from 'vitest';
import { toCgroups } from './cgroups-options.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const optionsOf = (fields = '', args: readonly string[] = []): CgroupsOptions => {
  const file = { path: '/etc/kubelet/config.yaml', content: HEAD + fields };
  return toCgroups(loadConfiguration({ file, args, cgroupVersion: 'v2' }));
};

describe('toCgroups', () => {
  it("has the kubelet's defaults", () => {
    expect(optionsOf()).toMatchObject({
      cgroupsPerQOS: true,
      cgroupDriver: 'cgroupfs',
      enforceNodeAllocatable: ['pods'],
      podPidsLimit: -1,
      memoryQos: undefined,
      qosReservedEnabled: false,
      evictionHard: { 'memory.available': '100Mi' },
      assignAllCpus: true,
      failSwapOn: true,
      kernelParameters: 'set',
      kubeletCgroups: undefined,
      systemCgroups: undefined,
      maxPods: 110,
    });
  });

  it('passes on the fields of the configuration', () => {
    const fields = `
cgroupDriver: systemd
cgroupRoot: /pods
kubeReserved: {cpu: 200m, memory: 1Gi}
systemReserved: {memory: 500Mi, pid: '1000'}
systemReservedCgroup: /system.slice
enforceNodeAllocatable: [pods, system-reserved]
podPidsLimit: 100
qosReserved: {memory: 50%}
featureGates: {QOSReserved: true, MemoryQoS: true}
memoryReservationPolicy: TieredReservation
failSwapOn: false
protectKernelDefaults: true
kubeletCgroups: /agent
systemCgroups: /system
`;
    expect(optionsOf(fields)).toMatchObject({
      cgroupDriver: 'systemd',
      cgroupRoot: '/pods',
      kubeReserved: { cpu: '200m', memory: '1Gi' },
      systemReserved: { memory: '500Mi', pid: '1000' },
      systemReservedCgroup: '/system.slice',
      enforceNodeAllocatable: ['pods', 'system-reserved'],
      podPidsLimit: 100,
      qosReserved: { memory: '50%' },
      qosReservedEnabled: true,
      memoryQos: { reservationPolicy: 'TieredReservation', throttlingFactor: 0.9 },
      failSwapOn: false,
      kernelParameters: 'check',
      kubeletCgroups: '/agent',
      systemCgroups: '/system',
    });
  });

  it('reserves the CPUs of reservedSystemCPUs in place of amounts', () => {
    const fields = 'kubeReserved: {cpu: 200m, memory: 1Gi}\nreservedSystemCPUs: 0-2,5\n';
    expect(optionsOf(fields)).toMatchObject({ kubeReserved: { memory: '1Gi' }, systemReserved: { cpu: '4' } });
    expect(optionsOf(fields).kubeReserved).not.toHaveProperty('cpu');
  });

  it('reserves no eviction thresholds with --experimental-allocatable-ignore-eviction', () => {
    expect(optionsOf('', ['--experimental-allocatable-ignore-eviction']).evictionHard).toBeUndefined();
    expect(optionsOf('', ['--experimental-allocatable-ignore-eviction=false']).evictionHard).toBeDefined();
  });

  it('turns everything off without cgroups of pods', () => {
    expect(optionsOf('cgroupsPerQOS: false\nenforceNodeAllocatable: [none]\n')).toMatchObject({
      cgroupsPerQOS: false,
      enforceNodeAllocatable: ['none'],
    });
  });

  it('rejects an unknown driver', () => {
    expect(() => optionsOf('cgroupDriver: docker\n')).toThrow(
      'cgroupDriver "docker" is neither "cgroupfs" nor "systemd"',
    );
  });
});
