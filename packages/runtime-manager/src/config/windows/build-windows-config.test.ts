import { create } from '@bufbuild/protobuf';
import { type Mount, MountPropagation, MountSchema } from '@rxlet/cri-api';
import type { Container, PodSpec } from '@rxlet/kube-api';
import { manifestPod, testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { podDns } from '../dns-config.ts';
import { defaultNodeSettings, type NodeSettings } from '../node-settings.ts';
import {
  buildWindowsContainerConfig,
  buildWindowsSandboxConfig,
  type WindowsContainerConfigInput,
} from './build-windows-config.ts';
import { windowsHostsMount } from './windows-mounts.ts';

const settings: NodeSettings = {
  ...defaultNodeSettings,
  memoryCapacityBytes: 1024n ** 3n,
  podLogsDirectory: String.raw`C:\var\log\pods`,
};
type Spec = Partial<PodSpec> & { readonly containers?: PodSpec['containers'] };

function containerConfigOf(
  container: Partial<Container>,
  more: Partial<WindowsContainerConfigInput> = {},
  spec: Spec = {},
) {
  const pod = manifestPod('web', { ...spec, containers: [{ name: 'app', image: 'app:1', ...container }] });
  return buildWindowsContainerConfig({
    pod,
    container: pod.spec!.containers[0]!,
    restartCount: 2,
    environment: new Map([['ROOT', String.raw`C:\app`]]),
    imageRef: 'sha256:1',
    imageUser: { username: 'ContainerUser' },
    mounts: [],
    processors: 4,
    settings,
    ...more,
  });
}

describe('buildWindowsContainerConfig', () => {
  it('assembles a whole container', () => {
    const config = containerConfigOf(
      {
        command: [String.raw`$(ROOT)\run.exe`],
        workingDir: String.raw`C:\app`,
        resources: { limits: { cpu: '500m', memory: '64Mi' } },
        securityContext: { runAsUser: 1000, windowsOptions: { runAsUserName: 'me', gmsaCredentialSpec: '{}' } },
        tty: true,
      },
      { cpus: [0, 65] },
    );
    expect(config).toMatchObject({
      metadata: { name: 'app', attempt: 2 },
      image: { image: 'sha256:1', userSpecifiedImage: 'app:1' },
      command: [String.raw`C:\app\run.exe`],
      workingDir: String.raw`C:\app`,
      logPath: String.raw`app\2.log`,
      tty: true,
      labels: { 'io.kubernetes.container.name': 'app' },
      annotations: { 'io.kubernetes.container.restartCount': '2' },
    });
    expect(config.linux).toBeUndefined();
    expect(config.windows).toMatchObject({
      resources: {
        cpuMaximum: 1250n,
        memoryLimitInBytes: 64n << 20n,
        affinityCpus: [
          { cpuGroup: 0, cpuMask: 1n },
          { cpuGroup: 1, cpuMask: 2n },
        ],
      },
      securityContext: { runAsUsername: 'me', credentialSpec: '{}', hostProcess: false },
    });
  });

  it.each<[mount: Partial<Mount>, hostPath: string, containerPath: string]>([
    [{ hostPath: '/var/data', containerPath: '/data' }, 'c:/var/data', 'c:/data'],
    [{ hostPath: String.raw`D:\data`, containerPath: 'data' }, String.raw`D:\data`, String.raw`c:\data`],
    [
      { hostPath: String.raw`\\.\pipe\engine`, containerPath: String.raw`\\.\pipe\engine` },
      String.raw`\\.\pipe\engine`,
      String.raw`\\.\pipe\engine`,
    ],
  ])('mounts %j with paths of Windows, privately', (mount, hostPath, containerPath) => {
    const given = create(MountSchema, { propagation: MountPropagation.PROPAGATION_BIDIRECTIONAL, readonly: true });
    expect(containerConfigOf({}, { mounts: [{ ...given, ...mount }] }).mounts).toMatchObject([
      { hostPath, containerPath, readonly: true, propagation: MountPropagation.PROPAGATION_PRIVATE },
    ]);
  });

  it('has the user of the image, and rejects the administrator for one that must not be root', () => {
    expect(containerConfigOf({}).windows?.securityContext?.runAsUsername).toBe('ContainerUser');
    const nonRoot = { securityContext: { runAsNonRoot: true } };
    expect(() => containerConfigOf(nonRoot, { imageUser: { username: 'ContainerAdministrator' } })).toThrow(
      "container's runAsUser (ContainerAdministrator) which will be regarded as root identity",
    );
  });
});

describe('windowsHostsMount', () => {
  const hostPath = String.raw`C:\var\lib\kubelet\pods\u\etc-hosts`;
  it('puts the hosts file at its place', () => {
    expect(windowsHostsMount(testPod({}), hostPath)).toMatchObject({
      hostPath,
      containerPath: String.raw`C:\Windows\System32\drivers\etc\hosts`,
      readonly: false,
    });
  });

  it('leaves that of the node to HostProcess containers', () => {
    const onHost = { securityContext: { windowsOptions: { hostProcess: true } } };
    expect(
      windowsHostsMount(testPod({ containers: [{ name: 'a' }, { name: 'b', ...onHost }] }), hostPath),
    ).toBeUndefined();
  });
});

describe('buildWindowsSandboxConfig', () => {
  function sandboxConfigOf(spec: Spec) {
    const pod = manifestPod('web', spec);
    const dns = podDns(pod, { ...settings, resolvConf: { nameservers: ['192.0.2.53'], searches: [], options: [] } });
    return buildWindowsSandboxConfig({ pod, attempt: 1, dns, settings });
  }

  it('has both parts, without the users, labels and resources of Linux', () => {
    const config = sandboxConfigOf({
      overhead: { memory: '10Mi' },
      securityContext: {
        ...{ runAsUser: 1, runAsGroup: 2, fsGroup: 3, supplementalGroups: [4], seLinuxOptions: { level: 's0' } },
        windowsOptions: { runAsUserName: 'u', gmsaCredentialSpec: '{}' },
      },
    });
    expect(config.metadata?.attempt).toBe(1);
    expect(config.logDirectory).toMatch(/^C:\\var\\log\\pods\\[^\\/]+$/);
    expect(config.dnsConfig?.servers).toEqual(['192.0.2.53']);
    expect(config.linux?.securityContext).toMatchObject({ supplementalGroups: [4n], privileged: false });
    for (const field of ['runAsUser', 'runAsGroup', 'selinuxOptions'] as const)
      expect(config.linux?.securityContext?.[field]).toBeUndefined();
    expect([config.linux?.overhead, config.linux?.resources, config.linux?.cgroupParent]).toEqual([
      undefined,
      undefined,
      '',
    ]);
    expect(config.windows?.securityContext).toMatchObject({
      runAsUsername: 'u',
      credentialSpec: '{}',
      hostProcess: false,
    });
  });

  it('has no host name of its own on the network of the node', () => {
    expect(sandboxConfigOf({ hostNetwork: true }).hostname).toBe('');
    expect(sandboxConfigOf({}).hostname).not.toBe('');
  });

  it('rejects HostProcess containers without the network of the node', () => {
    const windowsOptions = { hostProcess: true };
    expect(() => sandboxConfigOf({ securityContext: { windowsOptions } })).toThrow(
      'hostNetwork is required if Pod contains HostProcess containers',
    );
    expect(
      sandboxConfigOf({ hostNetwork: true, securityContext: { windowsOptions } }).windows?.securityContext?.hostProcess,
    ).toBe(true);
  });
});
