import { describe, expect, it } from 'vitest';
import { type ConfigurationStage, KubeletConfigurationError } from '@rxlet/component-base/kubelet-configuration';
import { encodeConfiguration } from './encode-configuration.ts';
import { type ConfigurationSources, loadConfiguration, type LoadedConfiguration } from './load-configuration.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const file = (fields = '') => ({ path: '/etc/kubelet/config.yaml', content: HEAD + fields });
const dropIn = (path: string, fields: string) => ({ path: `/etc/kubelet/conf.d/${path}`, content: HEAD + fields });
const load = (sources: Partial<ConfigurationSources> = {}): LoadedConfiguration =>
  loadConfiguration({ cgroupVersion: 'v2', ...sources });

function rejection(sources: Partial<ConfigurationSources>): {
  stage: ConfigurationStage;
  fields: string[];
  message: string;
} {
  try {
    load(sources);
  } catch (error) {
    if (!(error instanceof KubeletConfigurationError)) throw error;
    return { stage: error.stage, fields: error.problems.flatMap(({ fields }) => fields), message: error.message };
  }
  throw new Error('the configuration was accepted');
}

describe('loadConfiguration', () => {
  it('takes defaults, file, drop-ins and flags in this order', () => {
    const sources = {
      file: file('maxPods: 1\npodsPerCore: 1\nregistryBurst: 1\neventBurst: 1\n'),
      dropIns: [
        dropIn('20.conf', 'podsPerCore: 3\n'),
        dropIn('10.conf', 'podsPerCore: 2\nregistryBurst: 2\nmaxPods: 2\n'),
      ],
      args: ['--max-pods=4'],
    };
    expect(load(sources).configuration).toMatchObject({
      maxPods: 4,
      podsPerCore: 3,
      registryBurst: 2,
      eventBurst: 1,
      syncFrequency: 60_000,
    });
  });

  it('has the older defaults without a file', () => {
    expect(load().configuration).toMatchObject({
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      readOnlyPort: 10255,
    });
    expect(load({ file: file() }).configuration).toMatchObject({
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
      authorization: { mode: 'Webhook' },
      evictionHard: { 'memory.available': '100Mi' },
    });
  });

  it('has the defaults of a file without one on request, and keeps what flags and drop-ins set', () => {
    const hasLegacyDefaults = false;
    expect(load({ hasLegacyDefaults }).configuration).toMatchObject({
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
      authorization: { mode: 'Webhook' },
    });
    expect(load({ hasLegacyDefaults }).configuration.readOnlyPort).toBeUndefined();
    const { configuration } = load({
      hasLegacyDefaults,
      args: ['--read-only-port=10255', '--anonymous-auth'],
      dropIns: [dropIn('1.conf', 'authorization: {mode: AlwaysAllow}\n')],
    });
    expect(configuration).toMatchObject({
      authentication: { anonymous: { enabled: true }, webhook: { enabled: true } },
      authorization: { mode: 'AlwaysAllow' },
      readOnlyPort: 10255,
    });
  });

  it('distinguishes zero from absence where they differ', () => {
    const { configuration } = load({ file: file('healthzPort: 0\nport: 0\neventRecordQPS: 0\nsyncFrequency: 0s\n') });
    expect(configuration).toMatchObject({ healthzPort: 0, port: 10250, eventRecordQPS: 0, syncFrequency: 60_000 });
  });

  it('derives defaults from other fields', () => {
    expect(
      load({ file: file('nodeStatusUpdateFrequency: 30s\nmaxParallelImagePulls: 3\n') }).configuration,
    ).toMatchObject({
      nodeStatusReportFrequency: 30_000,
      serializeImagePulls: false,
    });
    expect(load({ file: file('podPidsLimit: -7\nmaxParallelImagePulls: 1\n') }).configuration).toMatchObject({
      podPidsLimit: -1,
      nodeStatusReportFrequency: 300_000,
      serializeImagePulls: true,
    });
  });

  it('resolves paths against the directory of the file', () => {
    const fields =
      'staticPodPath: manifests\ntlsCertFile: ../pki/c.pem\nauthentication: {x509: {clientCAFile: ca.pem}}\n' +
      'resolvConf: resolv.conf\nvolumePluginDir: plugins/\npodLogsDir: ./logs\n';
    expect(load({ file: file(fields) }).configuration).toMatchObject({
      resolvConf: '/etc/kubelet/resolv.conf',
      volumePluginDir: '/etc/kubelet/plugins',
      podLogsDir: '/etc/kubelet/logs',
      staticPodPath: '/etc/kubelet/manifests',
      tlsCertFile: '/etc/pki/c.pem',
      authentication: { x509: { clientCAFile: '/etc/kubelet/ca.pem' }, anonymous: { enabled: false } },
    });
  });

  it('warns of unknown and duplicate fields of the file, and goes on', () => {
    const { configuration, warnings } = load({
      file: file('maxPods: 1\nnope: 1\nmaxPods: 2\nauthentication: {webhook: {enabledd: true}}\nMaxPods: 3\n'),
    });
    expect(configuration.maxPods).toBe(2);
    expect(warnings).toEqual([
      'line 5: duplicate key "maxPods"',
      'unknown field "nope"',
      'unknown field "authentication.webhook.enabledd"',
      'unknown field "MaxPods"',
    ]);
  });

  it('reads a file that begins with a brace as strict JSON, a drop-in never', () => {
    const json = (fields: string) =>
      `{"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration"${fields}}`;
    const jsonFile = (fields: string) => ({ path: '/etc/kubelet/config.yaml', content: ` ${json(fields)}` });
    const { configuration, warnings } = load({
      file: jsonFile(
        ',"maxPods":1,"maxPods":2,"nope":{"a":1,"a":2},"evictionHard":{"pid.available":"1","pid.available":"2"}',
      ),
      dropIns: [{ path: '/etc/kubelet/conf.d/.conf', content: json(',"podsPerCore":5.0,') }],
    });
    expect(configuration).toMatchObject({ maxPods: 2, podsPerCore: 5 });
    expect(warnings).toEqual([
      'duplicate field "maxPods"',
      'duplicate field "evictionHard.pid.available"',
      'unknown field "nope"',
    ]);
    expect(rejection({ file: jsonFile(',"maxPods":5,') }).stage).toBe('decode');
    expect(rejection({ file: jsonFile(',"maxPods":5.0') }).stage).toBe('decode');
  });

  it.each([
    'syncFrequency: null',
    'shutdownGracePeriod: ~',
    'authentication: {webhook: {cacheTTL: null}}',
    'maxPods: 2147483648',
    'maxOpenFiles: 9223372036854775808',
    'memoryThrottlingFactor: "1"',
    'clusterDNS: 10.0.0.1',
    'logging: {verbosity: -1}',
    'logging: {flushFrequency: 9223372036854775808}',
    'evictionHard: {memory.available: 5}',
    'registerWithTaints: [{key: a, timeAdded: 2026-02-30T00:00:00Z}]',
    'registerWithTaints: [{key: a, timeAdded: 2026-02-03 00:00:00}]',
    'reservedMemory: [{numaNode: 0, limits: {memory: ""}}]',
  ])('rejects %s while decoding', (fields) => {
    expect(rejection({ file: file(`${fields}\n`) }).stage).toBe('decode');
  });

  it('takes null for the absence of what is no plain duration', () => {
    const fields =
      'cpuCFSQuotaPeriod: null\nmaxPods: null\nlogging: null\nlogging: {flushFrequency: null}\nevictionHard: null\n';
    expect(load({ file: file(fields) }).configuration).toMatchObject({ cpuCFSQuotaPeriod: 100, maxPods: 110 });
  });

  it('keeps the largest integers of 64 bits through drop-ins', () => {
    const sources = {
      file: file('maxOpenFiles: 9223372036854775807\n'),
      dropIns: [dropIn('1.conf', 'maxPods: 0o17\n')],
    };
    expect(load(sources).configuration).toMatchObject({ maxOpenFiles: 2 ** 63, maxPods: 15 });
  });

  it('leaves the field seccompDefault alone when the flag is given', () => {
    const { configuration, flags } = load({ file: file(), args: ['--seccomp-default'] });
    expect(configuration.seccompDefault).toBe(false);
    expect(flags.get('seccomp-default')).toBe(true);
  });

  it('adds the levels of --vmodule to those of the file', () => {
    const { configuration } = load({
      file: file('logging: {vmodule: [{filePattern: a, verbosity: 1}]}\n'),
      args: ['--vmodule=b=2,', '--vmodule=a=3'],
    });
    expect(configuration.logging?.vmodule).toEqual([
      { filePattern: 'a', verbosity: 1 },
      { filePattern: 'b', verbosity: 2 },
      { filePattern: 'a', verbosity: 3 },
    ]);
  });

  it('merges drop-ins key by key; null restores the default, files of other names are skipped', () => {
    const { configuration, skippedFiles } = load({
      file: file('clusterDNS: [10.0.0.1]\nevictionHard: {memory.available: 1Gi, pid.available: "10"}\nmaxPods: 5\n'),
      dropIns: [
        dropIn('sub/10.conf', 'evictionHard: {pid.available: null, nodefs.available: 5%}\nclusterDNS: [10.0.0.2]\n'),
        dropIn('README', 'maxPods: 9\n'),
        dropIn('zz.conf', 'maxPods: null\n'),
      ],
    });
    expect(configuration).toMatchObject({ clusterDNS: ['10.0.0.2'], maxPods: 110 });
    expect(configuration.evictionHard).toEqual({ 'memory.available': '1Gi', 'nodefs.available': '5%' });
    expect(skippedFiles).toEqual(['/etc/kubelet/conf.d/README']);
  });

  it('merges feature gates by name', () => {
    const { configuration, gates } = load({
      file: file('featureGates: {MemoryQoS: true, CPUManagerPolicyAlphaOptions: true}\n'),
      args: ['--feature-gates=MemoryQoS=false,EventedPLEG=true'],
    });
    expect(configuration.featureGates).toEqual({
      MemoryQoS: false,
      CPUManagerPolicyAlphaOptions: true,
      EventedPLEG: true,
    });
    expect(gates.isEnabled('CPUManagerPolicyAlphaOptions')).toBe(true);
    expect(gates.isEnabled('MemoryQoS')).toBe(false);
  });

  it.each<[ConfigurationStage, Partial<ConfigurationSources>, string]>([
    ['flags', { args: ['--no-such-flag=1'] }, 'unknown flag: --no-such-flag'],
    ['flags', { args: ['run'] }, 'unknown command run'],
    ['flags', { args: ['--feature-gates=NoSuchGate=true'] }, 'unrecognized feature gate: NoSuchGate'],
    ['decode', { file: { path: '/c', content: '' } }, 'the file is empty'],
    ['decode', { file: { path: '/c', content: 'kind: Pod\napiVersion: v1\n' } }, 'expected apiVersion'],
    ['decode', { file: file('maxPods: many\n') }, 'maxPods: expected a value of type int32, got string'],
    ['decode', { file: file('syncFrequency: 5\n') }, 'syncFrequency: expected a value of type string, got number'],
    ['decode', { file: file('syncFrequency: 5 s\n') }, 'invalid duration "5 s"'],
    ['decode', { file: file('a: [b\n') }, 'cannot load the configuration file "/etc/kubelet/config.yaml"'],
    ['defaults', { file: file('featureGates: {NodeSwap: false}\n') }, 'feature is locked to true'],
    ['defaults', { file: file('featureGates: {PodLevelResources: false}\n') }, 'depends on features that are disabled'],
    ['merge', { dropIns: [{ path: '/d/a.conf', content: '# nothing' }] }, 'cannot load the drop-in file "/d/a.conf"'],
    ['merge', { dropIns: [dropIn('a.conf', 'port: [1]\n')] }, 'port: expected a value of type int32, got array'],
  ])('rejects in stage %s', (stage, sources, message) => {
    const rejected = rejection(sources);
    expect(rejected.stage).toBe(stage);
    expect(rejected.message).toContain(message);
  });

  it('reports all problems of the values with their fields', () => {
    const { stage, fields, message } = rejection({
      file: file('port: -1\ncgroupsPerQOS: false\nlogging: {format: xml}\n'),
      args: ['--oom-score-adj=-2000'],
    });
    expect(stage).toBe('validation');
    expect([...new Set(fields)].sort()).toEqual([
      'cgroupsPerQOS',
      'enforceNodeAllocatable',
      'logging.format',
      'oomScoreAdj',
      'port',
    ]);
    expect(message.split('\n')).toHaveLength(4);
  });

  it('rejects a host with cgroup v1 unless it is asked to run there', () => {
    expect(rejection({ cgroupVersion: 'v1', file: file() }).fields).toEqual(['failCgroupV1']);
    expect(load({ cgroupVersion: 'v1', args: ['--fail-cgroupv1=false'] }).configuration.failCgroupV1).toBe(false);
  });
});

describe('configuredFields', () => {
  it('lists the fields that file, drop-ins and flags set', () => {
    const { configuredFields } = load({
      file: file('maxPods: 1\nauthentication: {webhook: {cacheTTL: 1m}}\nclusterDomain: null\n'),
      dropIns: [dropIn('a.conf', 'logging: {verbosity: 2}\nnope: 1\n')],
      args: ['--port=1000', '--root-dir=/r'],
    });
    expect([...configuredFields].sort()).toEqual([
      'authentication.webhook.cacheTTL',
      'logging.verbosity',
      'maxPods',
      'port',
    ]);
  });

  it('win over the defaults of the agent, which win over those of the kubelet', () => {
    const defaults = { failCgroupV1: false, maxPods: 7 };
    const { configuration } = load({ file: file('maxPods: 5\n'), defaults, cgroupVersion: 'v1' });
    expect(configuration).toMatchObject({ failCgroupV1: false, maxPods: 5 });
    expect(rejection({ defaults, cgroupVersion: 'v1', args: ['--fail-cgroupv1'] }).fields).toEqual(['failCgroupV1']);
  });
});

describe('encodeConfiguration', () => {
  it('writes what loads to the same configuration', () => {
    const fields =
      'syncFrequency: 1h0m0.5s\ncpuCFSQuotaPeriod: 1500us\nreservedMemory: [{numaNode: 1, limits: {memory: 1024Mi}}]\n' +
      'logging: {flushFrequency: 1000000}\nregisterWithTaints: [{key: a, effect: NoExecute}]\nhealthzPort: 0\n';
    const { configuration } = load({ file: file(fields) });
    const encoded = encodeConfiguration(configuration);
    expect(encoded).toMatchObject({
      syncFrequency: '1h0m0.5s',
      cpuCFSQuotaPeriod: '1.5ms',
      reservedMemory: [{ numaNode: 1, limits: { memory: '1Gi' } }],
      logging: { flushFrequency: 1_000_000 },
      healthzPort: 0,
    });
    const again = load({ file: { path: '/etc/kubelet/config.yaml', content: JSON.stringify(encoded) } });
    expect(encodeConfiguration(again.configuration)).toEqual(encoded);
  });
});
