import type { Container, Pod, WindowsSecurityContextOptions } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { withDrive, windowsContainerPath, windowsHostPath } from './windows-paths.ts';
import { cpuMillisOfShare, windowsAffinity, windowsCpus, windowsResources } from './windows-resources.ts';
import {
  verifyWindowsUser,
  windowsContainerSecurity,
  windowsOptions,
  windowsSandboxConfig,
} from './windows-security.ts';

describe('windowsResources', () => {
  it.each<[limits: Record<string, string>, processors: number, cpuMaximum: bigint, memory: bigint]>([
    [{}, 4, 0n, 0n],
    [{ cpu: '1', memory: '1Gi' }, 4, 2500n, 1n << 30n],
    [{ cpu: '500m' }, 4, 1250n, 0n],
    // The quotient truncates, the limit rounds up to thousandths.
    [{ cpu: '333m' }, 4, 832n, 0n],
    [{ cpu: '100u' }, 4, 2n, 0n],
    [{ cpu: '1m' }, 64, 1n, 0n],
    [{ cpu: '100' }, 4, 10_000n, 0n],
    [{ cpu: '0', memory: '0' }, 4, 0n, 0n],
  ])('shares limits %j out of %i processors', (limits, processors, cpuMaximum, memoryLimitInBytes) => {
    const resources = { limits, requests: { cpu: '3', memory: '3Gi' } };
    expect(windowsResources({ resources }, processors)).toMatchObject({
      cpuMaximum,
      memoryLimitInBytes,
      cpuShares: 0n,
      cpuCount: 0n,
      rootfsSizeInBytes: 0n,
    });
  });

  it('has a share that stands for its limit', () => {
    expect(cpuMillisOfShare(2500n, 4)).toBe(1000n);
    expect(cpuMillisOfShare(832n, 4)).toBe(332n);
  });
});

describe('CPUs of a container', () => {
  it.each([
    [[], [], []],
    [[0, 1], [], [0, 1]],
    [[], [2, 3], [2, 3]],
    [
      [2, 3],
      [2, 3, 4, 5],
      [2, 3],
    ],
    [
      [0, 1, 2],
      [4, 5],
      [0, 1, 2],
    ],
    [
      [0, 1],
      [4, 5],
      [0, 1, 4, 5],
    ],
  ])('assigned %j, of NUMA nodes %j', (assigned, ofNumaNodes, cpus) => {
    expect(windowsCpus(assigned, ofNumaNodes)).toEqual(cpus);
  });

  it('become masks of groups of 64', () => {
    expect(windowsAffinity([0, 2, 63, 64, 130])).toEqual([
      { cpuGroup: 0, cpuMask: (1n << 63n) | 5n },
      { cpuGroup: 1, cpuMask: 1n },
      { cpuGroup: 2, cpuMask: 4n },
    ]);
  });
});

const container = (
  windows?: WindowsSecurityContextOptions,
  more: Partial<Container['securityContext']> = {},
): Container => ({
  name: 'c',
  securityContext: { ...(windows && { windowsOptions: windows }), ...more },
});
const podWith = (ofPod: WindowsSecurityContextOptions | undefined, ...containers: Container[]): Pod => ({
  metadata: { name: 'web', namespace: 'default', uid: 'u' },
  spec: { containers, ...(ofPod && { securityContext: { windowsOptions: ofPod } }) },
});

describe('windowsOptions', () => {
  it('takes each option from the container first, and name and content of a credential together', () => {
    const pod = podWith({ runAsUserName: 'pod', gmsaCredentialSpec: 'P', gmsaCredentialSpecName: 'p' });
    expect(windowsOptions(pod, container())).toEqual(pod.spec?.securityContext?.windowsOptions);
    expect(windowsOptions(pod, container({ gmsaCredentialSpec: 'C', hostProcess: true }))).toEqual({
      runAsUserName: 'pod',
      gmsaCredentialSpec: 'C',
      hostProcess: true,
    });
  });
});

describe('windowsContainerSecurity', () => {
  it('has the user of the options, or else of the image, and the content of the credential', () => {
    const pod = podWith({ gmsaCredentialSpec: 'P' });
    expect(windowsContainerSecurity(pod, container({ runAsUserName: 'me' }), 'image')).toMatchObject({
      runAsUsername: 'me',
      credentialSpec: 'P',
      hostProcess: false,
    });
    expect(windowsContainerSecurity(pod, container(), 'image').runAsUsername).toBe('image');
  });
});

describe('verifyWindowsUser', () => {
  const nonRoot = { runAsNonRoot: true, runAsUser: 0 };

  it.each<[windows: WindowsSecurityContextOptions | undefined, image: string, message: string | undefined]>([
    [{ runAsUserName: 'ContainerUser' }, 'ContainerAdministrator', undefined],
    [undefined, 'ContainerUser', undefined],
    [undefined, '', undefined],
    [
      { runAsUserName: 'CONTAINERadministrator' },
      '',
      "container's runAsUserName (CONTAINERadministrator) which will be",
    ],
    [undefined, 'ContainerAdministrator', "container's runAsUser (ContainerAdministrator) which will be"],
  ])('with %j and the image user "%s": %s', (windows, image, message) => {
    const checked = container(windows, nonRoot);
    const verify = () => verifyWindowsUser(podWith(undefined, checked), checked, image);
    if (message === undefined) expect(verify).not.toThrow();
    else expect(verify).toThrow(message);
    expect(() => verifyWindowsUser(podWith(undefined), container(windows), image)).not.toThrow();
  });
});

describe('windowsSandboxConfig', () => {
  it('has the options of the pod', () => {
    const pod = podWith({ runAsUserName: 'u', gmsaCredentialSpec: 'P' }, container());
    expect(windowsSandboxConfig(pod).securityContext).toMatchObject({
      runAsUsername: 'u',
      credentialSpec: 'P',
      hostProcess: false,
    });
  });

  const host = { hostProcess: true };
  it('is of the host when all containers are', () => {
    const pod = podWith(host, container(), container(host));
    const onHost = { ...pod, spec: { ...pod.spec!, hostNetwork: true } };
    expect(windowsSandboxConfig(onHost).securityContext?.hostProcess).toBe(true);
  });

  it.each<
    [
      podOptions: WindowsSecurityContextOptions | undefined,
      hostNetwork: boolean,
      containers: Container[],
      message: string,
    ]
  >([
    [
      undefined,
      true,
      [container(host), container()],
      'pod must not contain both HostProcess and non-HostProcess containers',
    ],
    [host, false, [container()], 'hostNetwork is required if Pod contains HostProcess containers'],
    [{ hostProcess: false }, true, [container(host)], "if Pod's WindowsOptions.HostProcess is set to false"],
  ])('rejects %j with hostNetwork %s', (podOptions, hostNetwork, containers, message) => {
    const pod = podWith(podOptions, ...containers);
    expect(() => windowsSandboxConfig({ ...pod, spec: { ...pod.spec!, hostNetwork } })).toThrow(message);
  });
});

describe('paths', () => {
  it.each([
    [String.raw`C:\data`, String.raw`C:\data`],
    ['/data', 'c:/data'],
    [String.raw`\data`, String.raw`c:\data`],
    ['data', String.raw`c:\data`],
  ])('%s with a drive is %s', (path, expected) => {
    expect(withDrive(path)).toBe(expected);
  });

  it.each([
    ['/var/data', 'c:/var/data'],
    [String.raw`\var`, String.raw`c:\var`],
    [String.raw`D:\x`, String.raw`D:\x`],
    [String.raw`\\.\pipe\docker_engine`, String.raw`\\.\pipe\docker_engine`],
    [String.raw`\\server\share`, String.raw`\\server\share`],
    ['relative', 'relative'],
  ])('%s on the node is %s', (path, expected) => {
    expect(windowsHostPath(path)).toBe(expected);
  });

  it.each([
    ['/etc/x', 'c:/etc/x'],
    [String.raw`C:\x`, String.raw`C:\x`],
    [String.raw`\\.\pipe\x`, String.raw`\\.\pipe\x`],
    ['x', String.raw`c:\x`],
  ])('%s in a container is %s', (path, expected) => {
    expect(windowsContainerPath(path)).toBe(expected);
  });
});
