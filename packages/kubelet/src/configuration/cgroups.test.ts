import type { CgroupsOptions } from '@rxlet/container-manager';
import { cgroupsConfiguration } from '@rxlet/container-manager/configuration';
import { loadConfiguration } from '@rxlet/kubelet-config';
import { describe, expect, it } from 'vitest';
import { testNode } from './test-support.ts';
import { fromKubeletConfiguration } from './from-kubelet-configuration.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const optionsOf = async (fields = '', args: readonly string[] = []): Promise<CgroupsOptions | undefined> => {
  const file = { path: '/etc/kubelet/config.yaml', content: HEAD + fields };
  const loaded = loadConfiguration({ file, args, cgroupVersion: 'v2' });
  return (await fromKubeletConfiguration(loaded, testNode)).modules.optionsOf(cgroupsConfiguration);
};

describe('cgroupsConfiguration', () => {
  it("has the kubelet's defaults", async () => {
    expect(await optionsOf()).toMatchObject({
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

  it('passes on the fields of the configuration', async () => {
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
    expect(await optionsOf(fields)).toMatchObject({
      cgroupDriver: 'systemd',
      cgroupRoot: '/pods',
      kubeReserved: { cpu: '200m', memory: '1Gi' },
      systemReserved: { memory: '500Mi', pid: '1000' },
      systemReservedCgroup: '/system.slice',
      enforceNodeAllocatable: ['pods', 'system-reserved'],
      podPidsLimit: 100,
      qosReserved: { memory: '50%' },
      qosReservedEnabled: true,
      memoryQos: { reservationPolicy: 'TieredReservation' },
      failSwapOn: false,
      kernelParameters: 'check',
      kubeletCgroups: '/agent',
      systemCgroups: '/system',
    });
  });

  it('reserves the CPUs of reservedSystemCPUs in place of amounts', async () => {
    const fields = 'kubeReserved: {cpu: 200m, memory: 1Gi}\nreservedSystemCPUs: 0-2,5\n';
    expect(await optionsOf(fields)).toMatchObject({ kubeReserved: { memory: '1Gi' }, systemReserved: { cpu: '4' } });
    expect((await optionsOf(fields))?.kubeReserved).not.toHaveProperty('cpu');
  });

  it('reserves no eviction thresholds with --experimental-allocatable-ignore-eviction', async () => {
    const reserved = async (flag: string) => (await optionsOf('', [flag]))?.evictionHard;
    expect(await reserved('--experimental-allocatable-ignore-eviction')).toBeUndefined();
    expect(await reserved('--experimental-allocatable-ignore-eviction=false')).toBeDefined();
  });

  it('turns everything off without cgroups of pods', async () => {
    expect(await optionsOf('cgroupsPerQOS: false\nenforceNodeAllocatable: [none]\n')).toMatchObject({
      cgroupsPerQOS: false,
      enforceNodeAllocatable: ['none'],
    });
  });

  it('rejects an unknown driver', async () => {
    await expect(optionsOf('cgroupDriver: docker\n')).rejects.toThrow(
      'cgroupDriver "docker" is neither "cgroupfs" nor "systemd"',
    );
  });
});
