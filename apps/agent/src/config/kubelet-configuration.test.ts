import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { type KubeletConfiguration, parseKubeletConfiguration } from './kubelet-configuration.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const FILE = '/etc/rxlet/config.yaml';
const parse = (fields: string): KubeletConfiguration => parseKubeletConfiguration(`${HEAD}${fields}`, FILE);

function errorOf(source: string): string {
  try {
    parseKubeletConfiguration(source, FILE);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('it was accepted');
}

describe('parseKubeletConfiguration', () => {
  it.each<[field: string, expected: KubeletConfiguration]>([
    ['', {}],
    ['staticPodPath: /etc/kubernetes/manifests', { staticPodPath: '/etc/kubernetes/manifests' }],
    ['staticPodPath: manifests', { staticPodPath: '/etc/rxlet/manifests' }],
    ['staticPodPath: ""', {}],
    ['fileCheckFrequency: 20s', { fileCheckFrequency: 20_000 }],
    ['fileCheckFrequency: 0s', {}],
    ['podLogsDir: /var/log/rxlet', { podLogsDir: '/var/log/rxlet' }],
    ['containerRuntimeEndpoint: unix:///run/c.sock', { containerRuntimeEndpoint: 'unix:///run/c.sock' }],
    ['containerRuntimeEndpoint: ""', {}],
    ['imageServiceEndpoint: unix:///run/i.sock', { imageServiceEndpoint: 'unix:///run/i.sock' }],
    ['runtimeRequestTimeout: 1m30s', { runtimeRequestTimeout: 90_000 }],
    ['syncFrequency: 1m', { syncFrequency: 60_000 }],
    ['serializeImagePulls: false\nmaxParallelImagePulls: 5', { serializeImagePulls: false, maxParallelImagePulls: 5 }],
    ['serializeImagePulls: true\nmaxParallelImagePulls: 1', { serializeImagePulls: true, maxParallelImagePulls: 1 }],
    ['registryPullQPS: 0', { registryPullQPS: 0 }],
    ['registryBurst: 20', { registryBurst: 20 }],
    [
      'staticPodURL: https://manifests.example/node1\nstaticPodURLHeader: {X-Node: [a, b]}\nhttpCheckFrequency: 5s',
      {
        staticPodURL: 'https://manifests.example/node1',
        staticPodURLHeader: { 'X-Node': ['a', 'b'] },
        httpCheckFrequency: 5_000,
      },
    ],
    [
      'imageGCHighThresholdPercent: 90\nimageGCLowThresholdPercent: 85',
      { imageGCHighThresholdPercent: 90, imageGCLowThresholdPercent: 85 },
    ],
    ['imageMinimumGCAge: 3m\nimageMaximumGCAge: 24h', { imageMinimumGCAge: 180_000, imageMaximumGCAge: 86_400_000 }],
    [
      'imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages\npreloadedImagesVerificationAllowlist: [registry.example/base/*]',
      {
        imagePullCredentialsVerificationPolicy: 'NeverVerifyAllowlistedImages',
        preloadedImagesVerificationAllowlist: ['registry.example/base/*'],
      },
    ],
    ['containerLogMaxSize: 1Mi\ncontainerLogMaxFiles: 2', { containerLogMaxSize: 1_048_576, containerLogMaxFiles: 2 }],
    ['containerLogMaxSize: -1', { containerLogMaxSize: -1 }],
    [
      'containerLogMaxWorkers: 2\ncontainerLogMonitorInterval: 3s',
      { containerLogMaxWorkers: 2, containerLogMonitorInterval: 3_000 },
    ],
    ['registryBurst: 0', {}],
    ['clusterDNS: [10.96.0.10, "fd00::a"]', { clusterDNS: ['10.96.0.10', 'fd00::a'] }],
    ['clusterDNS: []', { clusterDNS: [] }],
    ['clusterDomain: cluster.local', { clusterDomain: 'cluster.local' }],
    ['resolvConf: ""', { resolvConf: '' }],
    ['seccompDefault: true', { seccompDefault: true }],
    ['cpuCFSQuota: false\ncpuCFSQuotaPeriod: 5ms', { cpuCFSQuota: false, cpuCFSQuotaPeriod: 5 }],
    [
      'crashLoopBackOff:\n  maxContainerRestartPeriod: 60s',
      { crashLoopBackOff: { maxContainerRestartPeriod: 60_000 } },
    ],
    ['crashLoopBackOff: {}', { crashLoopBackOff: {} }],
    // To the API, null is the same as not set.
    ['staticPodPath:\nclusterDNS: null\ncrashLoopBackOff: ~', {}],
    // YAML 1.1, as the kubelet reads it.
    ['seccompDefault: yes\ncpuCFSQuota: off', { seccompDefault: true, cpuCFSQuota: false }],
  ])('reads "%s"', (fields, expected) => {
    expect(parse(fields)).toEqual(expected);
  });

  it('reads JSON', () => {
    const json = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', syncFrequency: '10s' };
    expect(parseKubeletConfiguration(JSON.stringify(json), FILE)).toEqual({ syncFrequency: 10_000 });
  });

  it('names all fields that it does not know, and how they are spelt', () => {
    const message = errorOf(`${HEAD}evictionHard: {}\nstaticPodpath: /x\ncrashLoopBackOff:\n  maxPeriod: 1s\n`);
    expect(message.split('\n')).toEqual([
      `${FILE} is not a KubeletConfiguration that rxlet can honour:`,
      '  crashLoopBackOff.maxPeriod: rxlet does not know this field; remove it or check its spelling',
      '  evictionHard: rxlet does not know this field; remove it or check its spelling',
      '  staticPodpath: rxlet does not know this field; it is spelt staticPodPath',
    ]);
    // Also when it has no value.
    expect(errorOf(`${HEAD}evictionHard:\n`)).toContain(' evictionHard: rxlet does not know this field');
  });

  it.each([
    ['staticPodPath: 5', 'staticPodPath: expected string, received number'],
    ['serializeImagePulls: "true"', 'serializeImagePulls: expected boolean, received string'],
    ['fileCheckFrequency: 20', 'fileCheckFrequency: expected a duration like 20s or 1m30s'],
    ['fileCheckFrequency: 20 seconds', 'fileCheckFrequency: "20 seconds" is not a duration like 20s or 1m30s'],
    ['syncFrequency: -1s', 'syncFrequency: "-1s" is not a duration'],
    ['cpuCFSQuotaPeriod: 0s', 'cpuCFSQuotaPeriod: expected a duration from 1ms to 1s'],
    ['cpuCFSQuotaPeriod: 2s', 'cpuCFSQuotaPeriod: expected a duration from 1ms to 1s'],
    [
      'crashLoopBackOff:\n  maxContainerRestartPeriod: 10m',
      'crashLoopBackOff.maxContainerRestartPeriod: expected a duration from 1s to 300s',
    ],
    ['crashLoopBackOff: 5s', 'crashLoopBackOff: expected object, received string'],
    ['staticPodURL: /etc/manifests', 'staticPodURL: expected a URL that begins with http:// or https://'],
    ['imageGCHighThresholdPercent: 101', 'imageGCHighThresholdPercent: expected 0 to 100'],
    [
      'imageGCHighThresholdPercent: 70',
      'imageGCLowThresholdPercent (80) must be below imageGCHighThresholdPercent (70)',
    ],
    ['imageMaximumGCAge: 1m', 'imageMaximumGCAge must be longer than imageMinimumGCAge'],
    [
      'imagePullCredentialsVerificationPolicy: Never',
      'imagePullCredentialsVerificationPolicy: expected one of "NeverVerify"',
    ],
    [
      'preloadedImagesVerificationAllowlist: [x]',
      'needs imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages',
    ],
    ['containerLogMaxSize: big', 'containerLogMaxSize: "big" is not a size like 10Mi'],
    ['containerLogMaxFiles: 1', 'containerLogMaxFiles: expected at least 2'],
    ['containerLogMonitorInterval: 1s', 'containerLogMonitorInterval: expected a duration from 3s to 24h'],
    ['maxParallelImagePulls: 0', 'maxParallelImagePulls: expected at least 1'],
    ['maxParallelImagePulls: 1.5', 'maxParallelImagePulls: expected int, received number'],
    ['registryPullQPS: -1', 'registryPullQPS: expected at least 0'],
    ['clusterDNS: 10.96.0.10', 'clusterDNS: expected array, received string'],
    ['clusterDNS: [10.96.0.10, dns.example]', 'clusterDNS[1]: expected an IP address'],
    ['podLogsDir: logs', 'podLogsDir: expected an absolute path'],
    ['podLogsDir: /var/../etc', 'podLogsDir: expected an absolute path'],
    ['podLogsDir: /var/lögs', 'podLogsDir: expected an absolute path'],
    [
      'serializeImagePulls: true\nmaxParallelImagePulls: 2',
      'maxParallelImagePulls above 1 needs serializeImagePulls to be false',
    ],
  ])('refuses "%s"', (fields, problem) => {
    const message = errorOf(`${HEAD}${fields}\n`);
    expect(message).toContain(problem);
    expect(message.startsWith(FILE)).toBe(true);
  });

  it.each([
    ['kind: KubeletConfiguration\n', 'apiVersion: expected "kubelet.config.k8s.io/v1beta1"'],
    ['apiVersion: kubelet.config.k8s.io/v1beta1\nkind: Pod\n', 'kind: expected "KubeletConfiguration"'],
    ['- 1\n', 'expected object, received array'],
    ['just text', 'expected object, received string'],
    ['', `${FILE} is empty`],
    ['# nothing yet\n', `${FILE} is empty`],
    [`${HEAD}clusterDNS: [\n`, `${FILE}, line 4, column 1: not valid YAML: `],
    [`${HEAD}\tsyncFrequency: 1m\n`, `${FILE}, line 3, column 1: not valid YAML: Tabs are not allowed`],
    [
      `${HEAD}syncFrequency: 1m\nsyncFrequency: 2m\n`,
      `${FILE}, line 4, column 1: the field syncFrequency is there twice`,
    ],
    [`${HEAD}---\n${HEAD}`, `${FILE}, line 3, column 1: a second document begins`],
    [`${HEAD}clusterDomain: *missing\n`, `${FILE} is not valid YAML: Unresolved alias`],
  ])('refuses %j', (source, problem) => {
    expect(errorOf(source)).toContain(problem);
  });

  it('says what is wrong with the syntax in one line', () => {
    expect(errorOf(`${HEAD}a: [\n`)).not.toContain('\n');
  });
});
