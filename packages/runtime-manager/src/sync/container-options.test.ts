import type { MountedVolume, SubPathRequest } from '@rxlet/agent-api/volumes';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import type { Container } from '@rxlet/kube-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { RuntimeManagerPorts } from '../ports.ts';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';
import { type RecordingRuntime, recordingRuntime } from '../testing/recording-runtime.ts';

const volume = (hostPath: string, more: Partial<MountedVolume> = {}): MountedVolume => ({
  hostPath,
  readOnly: false,
  managed: true,
  seLinuxRelabel: true,
  seLinuxLabeled: false,
  innerVolumeSpecName: hostPath.split('/').at(-1)!,
  ...more,
});

interface VolumesBench extends ManagerBench, RecordingRuntime {
  readonly calls: unknown[];
}

function bench(volumes: Record<string, MountedVolume>, ports: Partial<RuntimeManagerPorts> = {}): VolumesBench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: discardLogs });
  const recording = recordingRuntime(fake.runtime);
  const files = createMemoryFiles({ files: { '/etc/hosts': '' } });
  const calls: unknown[] = [];
  const podVolumes: NonNullable<RuntimeManagerPorts['volumes']> = {
    mountedVolumes: () => new Map(Object.entries(volumes)),
    async makeSubPath(volumePath, subPath, mode) {
      calls.push(`make ${volumePath} ${subPath} ${mode.toString(8)}`);
      if (subPath === 'fails') throw new Error('/secret/place is full');
    },
    async prepareSubPath({ innerVolumeSpecName, containerName, mountIndex }: SubPathRequest) {
      return `/subpaths/${innerVolumeSpecName}/${containerName}/${String(mountIndex)}`;
    },
  };
  const all = { volumes: podVolumes, ...ports };
  const manager = createManagerBench({ clock, runtime: recording.runtime, images: fake.images, files, ports: all });
  return { ...recording, ...manager, calls };
}

const podWith = (container: Partial<Container>) => testPod({ containers: [container] });

describe('the options of a container', () => {
  it('include its volumes, their sub paths, and its block devices', async () => {
    const volumes = { data: volume('/vols/data'), disk: volume('', { devicePath: '/dev/mapped', readOnly: true }) };
    const b = bench(volumes);
    b.files.putDirectory('/vols/data', 0o2770);
    b.files.put('/vols/data/there/file', '');
    const pod = podWith({
      env: [{ name: 'POD', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
      volumeMounts: [
        { name: 'data', mountPath: '/data' },
        { name: 'data', mountPath: '/there', subPath: 'there' },
        { name: 'data', mountPath: '/new', subPathExpr: 'new/$(POD)' },
      ],
      volumeDevices: [{ name: 'disk', devicePath: '/dev/disk' }],
    });
    expect((await b.sync(pod)).error).toBeUndefined();
    expect(b.calls).toEqual(['make /vols/data new/web 770']);
    expect(b.containerConfigs[0]).toMatchObject({
      devices: [{ hostPath: '/dev/mapped', containerPath: '/dev/disk', permissions: 'r' }],
      mounts: [
        { hostPath: '/vols/data', containerPath: '/data' },
        { hostPath: '/subpaths/data/app/1', containerPath: '/there' },
        { hostPath: '/subpaths/data/app/2', containerPath: '/new' },
        { containerPath: '/etc/hosts' },
      ],
    });
  });

  it('include the groups of the volumes that the pod does not have, for the sandbox as well', async () => {
    const b = bench({
      one: volume('/vols/one', { group: 5000n }),
      two: volume('/vols/two', { group: 5000n }),
      known: volume('/vols/known', { group: 4000n }),
      none: volume('/vols/none'),
      disk: volume('', { devicePath: '/dev/mapped', group: 6000n }),
    });
    const securityContext = { fsGroup: 3000, supplementalGroups: [4000] };
    expect((await b.sync(testPod({ spec: { securityContext } }))).error).toBeUndefined();
    const groups = [3000n, 4000n, 5000n, 6000n];
    expect(b.containerConfigs[0]?.linux?.securityContext?.supplementalGroups).toEqual(groups);
    const ofSandbox = [3000n, 5000n, 6000n, 4000n];
    expect(b.sandboxConfigs[0]?.linux?.securityContext?.supplementalGroups).toEqual(ofSandbox);
  });

  it.each<[string, Partial<Container>, string]>([
    [
      'an unknown volume',
      { volumeMounts: [{ name: 'none', mountPath: '/x' }] },
      'cannot find volume "none" to mount into container "app"',
    ],
    [
      'a sub path that cannot be made, without its cause',
      { volumeMounts: [{ name: 'data', mountPath: '/x', subPath: 'fails' }] },
      'failed to create subPath directory for volumeMount "data" of container "app"',
    ],
    [
      'an unknown device',
      { volumeDevices: [{ name: 'data', devicePath: '/dev/x' }] },
      'cannot find volume "data" to pass into container "app"',
    ],
  ])('fail for %s', async (_title, container, message) => {
    const b = bench({ data: volume('/vols/data') });
    b.files.putDirectory('/vols/data');
    const { results } = await b.sync(podWith(container));
    expect(results.at(-1)).toMatchObject({ reason: 'CreateContainerConfigError', message });
    expect(b.containerConfigs).toEqual([]);
  });

  it('read environment files below a volume only', async () => {
    const b = bench({ data: volume('/vols/data') });
    b.files.put('/vols/data/env', "A='1'\n");
    b.files.put('/etc/shadow', "A='of the node'\n");
    b.files.putLink('/vols/data/link', '/etc/shadow');
    const env = (path: string) => [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'data', path, key: 'A' } } }];
    await b.sync(podWith({ env: env('env') }));
    expect(b.containerConfigs[0]?.envs.map(({ key, value }) => [key, new TextDecoder().decode(value)])).toEqual([
      ['A', '1'],
    ]);
    const { results } = await b.sync(testPod({ name: 'other', containers: [{ env: env('link') }] }));
    expect(results.at(-1)?.message).toBe("couldn't parse env file");
  });

  it("has the node's addresses for a pod in its network, and its resources", async () => {
    const addresses = [
      { type: 'Hostname', address: 'n' },
      { type: 'ExternalIP', address: '203.0.113.1' },
      { type: 'InternalIP', address: 'fd00::1' },
    ];
    const b = bench(
      {},
      {
        nodeObject: { cached: () => ({ status: { addresses } }) },
        nodeResources: { allocatable: () => ({ memory: '2Gi' }) },
      },
    );
    const fieldRef = (name: string, fieldPath: string) => ({
      name,
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
    });
    const limits = { name: 'L', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } };
    const env = [fieldRef('H', 'status.hostIPs'), fieldRef('P', 'status.podIPs'), limits];
    await b.sync(testPod({ containers: [{ env }], spec: { hostNetwork: true } }));
    const values = b.containerConfigs[0]?.envs.map(({ key, value }) => `${key}=${new TextDecoder().decode(value)}`);
    expect(values).toEqual(['H=fd00::1,203.0.113.1', 'P=203.0.113.1,fd00::1', 'L=2048']);
  });

  it('name the runtime handler of a RuntimeClass, and reject an unknown class', async () => {
    const b = bench({}, { runtimeClasses: { find: (name) => (name === 'slow' ? { handler: 'kata' } : undefined) } });
    const { error: unknown } = await b.sync(testPod({ spec: { runtimeClassName: 'none' } }));
    expect(unknown?.message).toContain('runtimeclass.node.k8s.io');
    const { error } = await b.sync(testPod({ name: 'b', spec: { runtimeClassName: 'slow' } }));
    expect(error?.message).toContain('kata');
  });
});
