import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import type { KubeletConfiguration } from './kubelet-configuration.ts';
import { type AgentFlags, type AgentSettings, readMachine, resolveSettings, socketPath } from './settings.ts';

const machine = { hostname: 'node1', ip: '192.0.2.7' };
const settings = (flags: AgentFlags = {}, kubelet: KubeletConfiguration = {}): AgentSettings =>
  resolveSettings(flags, kubelet, machine);

describe('resolveSettings', () => {
  it("has the kubelet's defaults", () => {
    expect(settings()).toEqual({
      nodeName: 'node1',
      nodeIp: '192.0.2.7',
      runtime: {
        kind: 'cri',
        endpoint: 'unix:///run/containerd/containerd.sock',
        imageEndpoint: undefined,
        isDefault: true,
      },
      manifestPath: undefined,
      manifestUrl: undefined,
      credentialProviders: undefined,
      rootDirectory: '/var/lib/kubelet',
      podLogsDirectory: '/var/log/pods',
      containerLogsDirectory: '/var/log/containers',
      verbosity: 0,
      kubelet: {},
    });
  });

  it('knows where a server has pods, by flags or by the file', () => {
    const kubelet = { staticPodURL: 'http://file.example', staticPodURLHeader: { 'X-Node': ['a', 'b'] } };
    expect(settings({}, kubelet).manifestUrl).toEqual({
      url: 'http://file.example',
      headers: [
        ['X-Node', 'a'],
        ['X-Node', 'b'],
      ],
    });
    const flags = { manifestUrl: 'https://flag.example', manifestUrlHeader: ['Authorization: Bearer a:b'] };
    expect(settings(flags, kubelet).manifestUrl).toEqual({
      url: 'https://flag.example',
      headers: [['Authorization', 'Bearer a:b']],
    });
    expect(() => settings({ manifestUrl: '/etc/x' })).toThrow('--manifest-url "/etc/x" is no URL');
    expect(() => settings({ manifestUrl: 'http://x', manifestUrlHeader: ['secret'] })).toThrow(
      '--manifest-url-header must be name:value',
    );
  });

  it('knows the programs that know credentials', () => {
    const both = { imageCredentialProviderConfig: '/etc/config.yaml', imageCredentialProviderBinDir: '/bin/providers' };
    expect(settings(both).credentialProviders).toEqual({
      configPath: '/etc/config.yaml',
      binDirectory: '/bin/providers',
    });
    for (const flag of Object.entries(both))
      expect(() => settings(Object.fromEntries([flag]))).toThrow('need each other');
  });

  it('takes what the file says, unless a flag says otherwise', () => {
    const kubelet = {
      staticPodPath: '/file/manifests',
      containerRuntimeEndpoint: 'unix:///file.sock',
      imageServiceEndpoint: 'unix:///file-images.sock',
    };
    expect(settings({}, kubelet)).toMatchObject({
      manifestPath: '/file/manifests',
      runtime: {
        kind: 'cri',
        endpoint: 'unix:///file.sock',
        imageEndpoint: 'unix:///file-images.sock',
        isDefault: false,
      },
      kubelet,
    });
    const flags = {
      podManifestPath: '/flag/manifests',
      containerRuntimeEndpoint: 'unix:///flag.sock',
      imageServiceEndpoint: 'unix:///flag-images.sock',
    };
    expect(settings(flags, kubelet)).toMatchObject({
      manifestPath: '/flag/manifests',
      runtime: {
        kind: 'cri',
        endpoint: 'unix:///flag.sock',
        imageEndpoint: 'unix:///flag-images.sock',
        isDefault: false,
      },
    });
  });

  it('makes relative paths absolute', () => {
    expect(settings({ rootDir: '.rxlet', podManifestPath: 'pods' })).toMatchObject({
      rootDirectory: resolve('.rxlet'),
      manifestPath: resolve('pods'),
    });
  });

  it('keeps all that the embedded runtime writes in the root folder', () => {
    expect(settings({ fakeRuntime: true, rootDir: '/tmp/try' })).toMatchObject({
      runtime: { kind: 'fake' },
      rootDirectory: '/tmp/try',
      podLogsDirectory: '/tmp/try/pod-logs',
      containerLogsDirectory: undefined,
    });
  });

  it('uses the embedded runtime only for who asks for it, also when the file names a real one', () => {
    const kubelet = { containerRuntimeEndpoint: 'unix:///run/c.sock' };
    expect(settings({ fakeRuntime: true, rootDir: '/tmp/try' }, kubelet).runtime).toEqual({ kind: 'fake' });
    expect(settings({ fakeRuntime: false }, kubelet).runtime.kind).toBe('cri');
  });

  it('puts logs where the file says', () => {
    expect(settings({}, { podLogsDir: '/logs' })).toMatchObject({
      podLogsDirectory: '/logs',
      containerLogsDirectory: undefined,
    });
    expect(settings({ fakeRuntime: true, rootDir: '/tmp/try' }, { podLogsDir: '/logs' }).podLogsDirectory).toBe(
      '/logs',
    );
  });

  it.each([
    ['NODE-A', 'node-a'],
    [' node-a.example ', 'node-a.example'],
  ])('names the node "%s" %s', (hostnameOverride, nodeName) => {
    expect(settings({ hostnameOverride }).nodeName).toBe(nodeName);
  });

  it.each(['192.0.2.8', 'fd00::8'])('takes the address %s', (nodeIp) => {
    expect(settings({ nodeIp }).nodeIp).toBe(nodeIp);
  });

  it.each<[AgentFlags, string]>([
    [
      { fakeRuntime: true, containerRuntimeEndpoint: 'unix:///x' },
      '--fake-runtime excludes --container-runtime-endpoint',
    ],
    [{ fakeRuntime: true, imageServiceEndpoint: 'unix:///x' }, 'choose one runtime'],
    [{ fakeRuntime: true }, 'name a folder of its own with --root-dir'],
    [{ hostnameOverride: ' ' }, 'set --hostname-override'],
    [{ hostnameOverride: 'my_host' }, '"my_host" cannot be the name of a node'],
    [{ hostnameOverride: 'a..b' }, '"a..b" cannot be the name of a node'],
    [{ hostnameOverride: 'a'.repeat(254) }, 'cannot be the name of a node'],
    [{ nodeIp: 'node1' }, '--node-ip "node1"'],
    [{ nodeIp: '192.0.2.1,fd00::1' }, '--node-ip "192.0.2.1,fd00::1"'],
    [{ nodeIp: '0.0.0.0' }, '--node-ip'],
    [{ rootDir: '' }, '--root-dir is empty'],
    [{ podManifestPath: '' }, '--pod-manifest-path is empty'],
    [{ containerRuntimeEndpoint: ' ' }, '--container-runtime-endpoint is empty'],
  ])('refuses %j', (flags, problem) => {
    expect(() => settings(flags)).toThrow(ConfigError);
    expect(() => settings(flags)).toThrow(problem);
  });

  it('refuses a host without a name of its own', () => {
    expect(() => resolveSettings({}, {}, { ...machine, hostname: '' })).toThrow(
      'the node has no name: set --hostname-override',
    );
  });
});

describe('readMachine', () => {
  it('finds a name and an address', () => {
    const { hostname, ip } = readMachine();
    expect(hostname).not.toBe('');
    expect(isIP(ip)).not.toBe(0);
  });
});

it('has its socket in the root folder', () => {
  expect(socketPath('/var/lib/kubelet')).toBe('/var/lib/kubelet/rxlet.sock');
});
