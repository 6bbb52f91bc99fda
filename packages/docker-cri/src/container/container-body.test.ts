import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  ContainerConfigSchema,
  MountPropagation,
  NamespaceMode,
  PodSandboxConfigSchema,
  Signal,
  StatusCode,
} from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { containerBody, type ContainerContext } from './container-body.ts';
import { resourcesWithoutEffect } from './docker-resources.ts';

const context: ContainerContext = {
  sandboxId: 'sb',
  sandboxConfig: create(PodSandboxConfigSchema, { linux: { cgroupParent: '/kubepods/pod1' } }),
  isHostNetwork: false,
  logPath: '/logs/main.log',
  seccompProfile: undefined,
  imageLabels: {},
  cgroupDriver: 'cgroupfs',
  minOomScoreAdj: -1000,
};
type ConfigInit = Exclude<MessageInitShape<typeof ContainerConfigSchema>, { $typeName: string }>;
const body = (config: ConfigInit, more: Partial<ContainerContext> = {}) =>
  containerBody(create(ContainerConfigSchema, { image: { image: 'busybox' }, ...config }), {
    ...context,
    ...more,
  });

describe('containerBody', () => {
  it('has command, environment, labels and streams', () => {
    const envs = [{ key: 'A', value: new TextEncoder().encode('grün=1') }];
    const config = { command: ['sh'], args: ['-c', 'x'], envs, workingDir: '/w', stdin: true, tty: true };
    expect(body({ ...config, labels: { app: 'web' }, stopSignal: Signal.SIGINT })).toMatchObject({
      Image: 'busybox',
      Entrypoint: ['sh'],
      Cmd: ['-c', 'x'],
      Env: ['A=grün=1'],
      WorkingDir: '/w',
      OpenStdin: true,
      Tty: true,
      StopSignal: 'SIGINT',
      Healthcheck: { Test: ['NONE'] },
      Labels: {
        app: 'web',
        'io.kubernetes.docker.type': 'container',
        'io.kubernetes.sandbox.id': 'sb',
        'io.kubernetes.container.logpath': '/logs/main.log',
      },
    });
  });

  it('leaves command and user to the image when there are none', () => {
    const { Entrypoint, Cmd, User } = body({});
    expect([Entrypoint, Cmd, User]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    [undefined, { NetworkMode: 'container:sb', IpcMode: 'container:sb', PidMode: 'container:sb' }],
    [
      { pid: NamespaceMode.NODE, ipc: NamespaceMode.NODE },
      { IpcMode: 'host', PidMode: 'host' },
    ],
    [{ pid: NamespaceMode.TARGET, targetId: 't1' }, { PidMode: 'container:t1' }],
  ])('joins the namespaces of %j', (namespaceOptions, expected) => {
    const linux = { securityContext: namespaceOptions && { namespaceOptions } };
    expect(body({ linux }).HostConfig).toMatchObject(expected);
  });

  it('has a PID namespace of its own, and the UTS namespace of the host with its network', () => {
    const linux = { securityContext: { namespaceOptions: { pid: NamespaceMode.CONTAINER } } };
    const { PidMode, UTSMode } = body({ linux }, { isHostNetwork: true }).HostConfig;
    expect([PidMode, UTSMode]).toEqual([undefined, 'host']);
  });

  it('mounts paths, also those with a colon', () => {
    const mounts = [
      { hostPath: '/a', containerPath: '/b', readonly: true },
      {
        hostPath: '/c',
        containerPath: '/d',
        propagation: MountPropagation.PROPAGATION_BIDIRECTIONAL,
        selinuxRelabel: true,
      },
      { hostPath: '/e:f', containerPath: '/g', propagation: MountPropagation.PROPAGATION_HOST_TO_CONTAINER },
    ];
    expect(body({ mounts }).HostConfig).toMatchObject({
      Binds: ['/a:/b:ro,rprivate', '/c:/d:Z,rshared'],
      Mounts: [{ Type: 'bind', Source: '/e:f', Target: '/g', ReadOnly: false, BindOptions: { Propagation: 'rslave' } }],
    });
  });

  it('has resources, users, capabilities and devices', () => {
    const linux = {
      resources: {
        cpuShares: 512n,
        cpuQuota: 50_000n,
        cpuPeriod: 100_000n,
        memoryLimitInBytes: 64n,
        oomScoreAdj: 900n,
      },
      securityContext: {
        runAsUser: { value: 1000n },
        runAsGroup: { value: 2000n },
        supplementalGroups: [3000n],
        readonlyRootfs: true,
        capabilities: { addCapabilities: ['NET_ADMIN'], dropCapabilities: ['ALL'] },
        maskedPaths: ['/proc/kcore'],
      },
    };
    const devices = [{ hostPath: '/dev/a', containerPath: '/dev/b', permissions: 'rw' }];
    const { User, HostConfig } = body({ linux, devices });
    expect(User).toBe('1000:2000');
    expect(HostConfig).toMatchObject({
      CpuShares: 512,
      CpuQuota: 50_000,
      CpuPeriod: 100_000,
      Memory: 64,
      MemorySwap: 64,
      OomScoreAdj: 900,
      GroupAdd: ['3000'],
      ReadonlyRootfs: true,
      CapAdd: ['NET_ADMIN'],
      CapDrop: ['ALL'],
      MaskedPaths: ['/proc/kcore'],
      ReadonlyPaths: [],
      CgroupParent: '/kubepods/pod1',
      Devices: [{ PathOnHost: '/dev/a', PathInContainer: '/dev/b', CgroupPermissions: 'rw' }],
    });
  });

  it('names a slice to the systemd driver, and keeps to the smallest OOM score adjustment', () => {
    const sandboxConfig = create(PodSandboxConfigSchema, {
      linux: { cgroupParent: '/kubepods.slice/kubepods-pod1.slice' },
    });
    const linux = { resources: { oomScoreAdj: -997n } };
    const { HostConfig } = body({ linux }, { sandboxConfig, cgroupDriver: 'systemd', minOomScoreAdj: 0 });
    expect(HostConfig).toMatchObject({ CgroupParent: 'kubepods-pod1.slice', OomScoreAdj: 0 });
  });

  it.each([
    [{ CDIDevices: [{ name: 'a' }] }, 'CDI devices are not supported'],
    [{ mounts: [{ hostPath: '/a', containerPath: '/b', recursiveReadOnly: true }] }, 'recursive read-only mounts'],
    [{ linux: { securityContext: { capabilities: { addAmbientCapabilities: ['X'] } } } }, 'ambient capabilities'],
    [
      { linux: { securityContext: { namespaceOptions: { usernsOptions: { mode: NamespaceMode.POD } } } } },
      'user namespaces are not supported',
    ],
    [{ linux: { securityContext: { runAsGroup: { value: 1n } } } }, 'runAsGroup is set without a user'],
    [{ envs: [{ key: 'A', value: Uint8Array.of(0xff) }] }, 'the value of the environment variable "A" is not UTF-8'],
  ])('rejects a setting that Docker does not have (%#)', (config, message) => {
    expect(() => body(config)).toThrow(message);
  });
});

it('containerBody reports image volumes as unimplemented, by which callers know a runtime without them', () => {
  expect(() => body({ mounts: [{ containerPath: '/b', image: { image: 'x' } }] })).toThrow(
    expect.objectContaining({ code: StatusCode.Unimplemented }),
  );
});

describe('resourcesWithoutEffect', () => {
  it('names limits of huge pages and values for cgroup v2', () => {
    const hugepageLimits = [
      { pageSize: '2MB', limit: 4_194_304n },
      { pageSize: '1GB', limit: 0n },
    ];
    const { linux } = create(ContainerConfigSchema, {
      linux: { resources: { cpuShares: 2n, hugepageLimits, unified: { 'memory.high': '1000' } } },
    });
    expect(resourcesWithoutEffect(linux?.resources)).toEqual(['huge pages of 2MB', 'cgroup v2 memory.high']);
  });
});
