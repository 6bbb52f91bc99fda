import { resolve } from 'node:path';
import type { KubeClients } from '@rxlet/kube-api/client';
import { podAllocationConfiguration } from '@rxlet/container-manager/configuration';
import { containerLogsConfiguration } from '@rxlet/container-logs/configuration';
import { imageManagementConfiguration } from '@rxlet/image-manager/configuration';
import { KubeletConfigurationError, loadConfiguration } from '@rxlet/kubelet-config';
import { nodeAdmissionConfiguration } from '@rxlet/node-admission/configuration';
import { nodeShutdownConfiguration } from '@rxlet/node-shutdown/configuration';
import { nodeStatusConfiguration, podCidrConfiguration } from '@rxlet/node-status/configuration';
import { staticPodsConfiguration, staticPodsFromUrlConfiguration } from '@rxlet/pod-source/configuration';
import { statsConfiguration } from '@rxlet/stats/configuration';
import { describe, expect, it } from 'vitest';
import { fromKubeletConfiguration, type KubeletPreset } from './from-kubelet-configuration.ts';
import type { KubeletNode } from './kubelet-node.ts';
import { testNode } from './test-support.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const preset = (
  fields = '',
  args: readonly string[] = [],
  facts: Partial<KubeletNode> = {},
): Promise<KubeletPreset> => {
  const file = { path: '/etc/kubelet/config.yaml', content: HEAD + fields };
  return fromKubeletConfiguration(loadConfiguration({ file, args, cgroupVersion: 'v2' }), { ...testNode, ...facts });
};

async function rejection(...given: Parameters<typeof preset>): Promise<string> {
  try {
    await preset(...given);
  } catch (error) {
    if (!(error instanceof KubeletConfigurationError)) throw error;
    return `${error.stage}: ${error.message}`;
  }
  throw new Error('the configuration was accepted');
}

describe('fromKubeletConfiguration', () => {
  it.each([
    ['', [], { initialMs: undefined, maxMs: 300_000 }],
    ['featureGates: {ReduceDefaultCrashLoopBackOffDecay: true}\n', [], { initialMs: 1000, maxMs: 300_000 }],
    [
      'featureGates: {ReduceDefaultCrashLoopBackOffDecay: true, KubeletCrashLoopBackOffMax: false}\n',
      [],
      { initialMs: 1000, maxMs: 60_000 },
    ],
  ])('has the back-off of crashing containers of the gates in "%s"', async (fields, args, expected) => {
    const { initialMs, maxMs } = (await preset(fields, args)).options.crashLoopBackoff ?? {};
    expect({ initialMs, maxMs }).toEqual(expected);
  });

  it('keeps as many dead containers as the flags say', async () => {
    expect((await preset()).options.containerRetention).toBeUndefined();
    expect((await preset('', ['--maximum-dead-containers=9'])).options.containerRetention).toEqual({
      minAgeMs: 0,
      maxPerContainer: 1,
      maxContainers: 9,
    });
    const flags = [
      '--minimum-container-ttl-duration=1m',
      '--maximum-dead-containers-per-container=3',
      '--maximum-dead-containers=9',
    ];
    expect((await preset('', flags)).options.containerRetention).toEqual({
      minAgeMs: 60_000,
      maxPerContainer: 3,
      maxContainers: 9,
    });
    expect(await rejection('', ['--minimum-container-ttl-duration=-1m'])).toContain(
      'invalid minimum garbage collection age',
    );
  });

  it.each([
    ['', [], false],
    ['seccompDefault: true\n', ['--seccomp-default=false'], true],
    ['', ['--seccomp-default'], true],
  ])(
    'applies the default seccomp profile when the field or the flag says so: %j, %j',
    async (fields, args, expected) => {
      expect((await preset(fields, args)).node.seccompDefault).toBe(expected);
    },
  );

  it("has the facts of the node and the kubelet's defaults", async () => {
    const { node: nodeOptions, options, modules } = await preset();
    expect(nodeOptions).toEqual({
      ...testNode.facts,
      swap: undefined,
      name: 'node1',
      rootDirectory: '/var/lib/kubelet',
      podLogsDirectory: '/var/log/pods',
      nodeIps: ['192.0.2.1'],
      clusterDns: [],
      clusterDomain: '',
      cpuCfsQuota: true,
      cpuCfsQuotaPeriodUs: 100_000,
      singleProcessOomKill: false,
      seccompDefault: false,
    });
    expect(options).toEqual({
      resolvConf: '/etc/resolv.conf',
      containerLogsDirectory: '/var/log/containers',
      requestTimeoutMs: 120_000,
      resyncIntervalMs: 60_000,
      crashLoopBackoff: { maxMs: 300_000 },
    });
    expect(modules.optionsOf(staticPodsConfiguration)).toBeUndefined();
    expect(modules.optionsOf(staticPodsFromUrlConfiguration)).toBeUndefined();
    expect(modules.optionsOf(imageManagementConfiguration)).toMatchObject({
      serializeImagePulls: true,
      registryPullQps: 5,
      registryPullBurst: 10,
    });
    expect(modules.optionsOf(containerLogsConfiguration)).toMatchObject({
      maxSizeBytes: 10 * 1024 * 1024,
      maxFiles: 5,
    });
  });

  it('passes on the fields of the configuration in the units of the parts', async () => {
    const configured = await preset(`
staticPodPath: manifests
podLogsDir: /logs
cpuCFSQuotaPeriod: 50ms
featureGates: {CustomCPUCFSQuotaPeriod: true}
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
runtimeRequestTimeout: 30s
syncFrequency: 90s
crashLoopBackOff: {maxContainerRestartPeriod: 60s}
registryPullQPS: 0
registryBurst: 3
maxParallelImagePulls: 4
containerLogMaxSize: 1Mi
imagePullCredentialsVerificationPolicy: AlwaysVerify
resolvConf: ''
`);
    expect(configured.node).toMatchObject({
      podLogsDirectory: '/logs',
      cpuCfsQuotaPeriodUs: 50_000,
      clusterDns: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
    });
    expect(configured.options).toEqual({
      resolvConf: '',
      containerLogsDirectory: undefined,
      requestTimeoutMs: 30_000,
      resyncIntervalMs: 90_000,
      crashLoopBackoff: { maxMs: 60_000 },
    });
    const { optionsOf } = configured.modules;
    expect(optionsOf(staticPodsConfiguration)).toMatchObject({ path: '/etc/kubelet/manifests', documents: false });
    expect(optionsOf(imageManagementConfiguration)).toMatchObject({
      serializeImagePulls: false,
      maxParallelImagePulls: 4,
      registryPullQps: 0,
      registryPullBurst: 3,
      imagePullCredentialsVerificationPolicy: 'AlwaysVerify',
    });
    expect(optionsOf(containerLogsConfiguration)).toMatchObject({ maxSizeBytes: 1024 * 1024 });
  });

  it('lets containers swap with LimitedSwap on cgroup v2 only', async () => {
    const limited = 'memorySwap: {swapBehavior: LimitedSwap}\n';
    expect((await preset(limited)).node.swap).toEqual({ capacityBytes: 4n << 30n });
    expect((await preset(limited)).modules.optionsOf(podAllocationConfiguration)?.limitedSwap).toBe(true);
    expect((await preset('memorySwap: {swapBehavior: NoSwap}\n')).node.swap).toBeUndefined();
    expect(await rejection(limited, [], { facts: { ...testNode.facts, cgroupVersion: 1 } })).toBe(
      'start: swap feature is enabled and LimitedSwap but it is only supported with cgroupv2: memorySwap.swapBehavior must be NoSwap here',
    );
  });

  it('throttles containers without a limit relative to the memory that is not reserved', async () => {
    const reserved = 'kubeReserved: {memory: 1Gi}\nsystemReserved: {memory: 3Gi}\n';
    expect((await preset(`${reserved}featureGates: {MemoryQoS: true}\n`)).node.memoryQos).toEqual({
      reservationPolicy: 'None',
      throttlingFactor: 0.9,
      allocatableBytes: 4 * 2 ** 30,
    });
    expect((await preset(reserved)).node.memoryQos).toBeUndefined();
  });

  it('passes a range of pod addresses to the runtime where there is no API server', async () => {
    const { modules } = await preset('podCIDR: 10.1.0.0/24\n');
    expect(modules.optionsOf(podCidrConfiguration)).toEqual({ podCidr: '10.1.0.0/24' });
    expect((await preset()).modules.optionsOf(podCidrConfiguration)).toBeUndefined();
  });

  it('measures the cgroups of the system that are configured', async () => {
    const fields = 'kubeletCgroups: /agent\nsystemCgroups: /system\ncgroupRoot: /\n';
    const { modules } = await preset(fields, ['--runtime-cgroups=/runtime']);
    expect(modules.optionsOf(statsConfiguration)?.systemCgroups).toEqual({
      kubelet: '/agent',
      runtime: '/runtime',
      misc: '/system',
    });
    expect((await preset()).modules.optionsOf(statsConfiguration)?.systemCgroups).toEqual({});
  });

  it('takes ids for user namespaces from those that are set aside, as many for each pod as configured', async () => {
    expect((await preset()).options.userIds).toBeUndefined();
    expect((await preset('userNamespaces: {idsPerPod: 131072}\n')).options.userIds).toEqual({
      firstId: 131_072,
      count: 2 ** 32 - 131_072,
      idsPerPod: 131_072,
    });
    const subordinateIds = { firstId: 65_536, count: 110 * 65_536 };
    expect((await preset('', [], { subordinateIds })).options.userIds).toEqual({
      ...subordinateIds,
      idsPerPod: 65_536,
    });
    expect(await rejection('maxPods: 111\n', [], { subordinateIds })).toContain(
      'start: kubelet user assigned IDs are not enough to support 111 pods',
    );
  });

  it('prefers flags, whose relative paths are below the working directory', async () => {
    const args = ['--pod-manifest-path=pods', '--root-dir=.rxlet', '--hostname-override= NODE-A', '--node-ip=fd00::8'];
    const configured = await preset('staticPodPath: /etc/manifests\n', args);
    expect(configured.modules.optionsOf(staticPodsConfiguration)?.path).toBe(resolve('pods'));
    expect(configured.node).toMatchObject({
      rootDirectory: resolve('.rxlet'),
      name: 'node-a',
      nodeIps: ['fd00::8'],
    });
  });

  it.each([
    ['--node-ip=', ['192.0.2.1']],
    ['--node-ip=0.0.0.0', ['192.0.2.1']],
    ['--node-ip=::', ['fd00::1']],
  ])('takes an address of the machine for %s, by its family', async (flag, nodeIps) => {
    expect((await preset('', [flag], { addressV6: 'fd00::1' })).node.nodeIps).toEqual(nodeIps);
  });

  it("takes the machine's name for an empty --hostname-override", async () => {
    expect((await preset('', ['--hostname-override='], { hostname: 'Node-B' })).node.name).toBe('node-b');
  });

  it('passes on what admission depends on', async () => {
    const fields = `
maxPods: 20
podsPerCore: 5
allowedUnsafeSysctls: [net.core.somaxconn, kernel.msg*]
registerWithTaints: [{key: maintenance, effect: NoExecute}, {key: none}]
localStorageCapacityIsolation: false
`;
    const { modules } = await preset(fields, ['--node-labels=zone=a,rack=1']);
    expect(modules.optionsOf(nodeAdmissionConfiguration)).toEqual({
      maxPods: 20,
      podsPerCore: 5,
      allowedUnsafeSysctls: ['net.core.somaxconn', 'kernel.msg*'],
      registerWithTaints: [{ key: 'maintenance', value: '', effect: 'NoExecute' }],
      localStorageCapacityIsolation: false,
      nodeLabels: { zone: 'a', rack: '1' },
    });
  });

  it('reads the URL of static pods and its headers', async () => {
    const fields = 'staticPodURL: http://file.example\nstaticPodURLHeader: {X-Node: [a, b]}\n';
    expect((await preset(fields)).modules.optionsOf(staticPodsFromUrlConfiguration)).toEqual({
      url: 'http://file.example',
      headers: [
        ['X-Node', 'a'],
        ['X-Node', 'b'],
      ],
      checkPeriodMs: 20_000,
    });
    const args = ['--manifest-url=https://flag.example', '--manifest-url-header=Authorization: Bearer a:b,X-Node:c'];
    expect((await preset(fields, args)).modules.optionsOf(staticPodsFromUrlConfiguration)).toMatchObject({
      url: 'https://flag.example',
      headers: [
        ['Authorization', 'Bearer a:b'],
        ['X-Node', 'c'],
      ],
    });
  });

  it('has the sources of projected volumes that feature gates switch on', async () => {
    const projections = async (fields: string): Promise<string[]> => {
      const { modules } = await preset(fields);
      const names = modules.node({} as KubeClients).map(({ name }) => name);
      return names.filter((name) => ['cluster-trust', 'cluster-certificates'].includes(name));
    };
    expect(await projections('')).toEqual([]);
    const gates = 'ClusterTrustBundle: true, ClusterTrustBundleProjection: true, PodCertificateRequest: true';
    expect(await projections(`featureGates: {${gates}}\n`)).toEqual(['cluster-trust', 'cluster-certificates']);
  });

  it('serves the pods API when its feature gate is on', async () => {
    const isServed = async (fields: string): Promise<boolean> =>
      (await preset(fields)).modules.standalone().some(({ name }) => name === 'pods-api');
    expect(await isServed('')).toBe(false);
    expect(await isServed('featureGates: {PodsAPI: true}\n')).toBe(true);
  });

  it('delays shutdowns of the node when a grace period is configured', async () => {
    const shutdownOf = async (fields = '') => (await preset(fields)).modules.optionsOf(nodeShutdownConfiguration);
    expect(await shutdownOf()).toBeUndefined();
    const simple = 'shutdownGracePeriod: 30s\nshutdownGracePeriodCriticalPods: 10s\n';
    expect(await shutdownOf(simple)).toMatchObject({ allPodsMs: 30_000, criticalPodsMs: 10_000 });
    const groups = 'shutdownGracePeriodByPodPriority: [{priority: 5, shutdownGracePeriodSeconds: 7}]\n';
    expect((await shutdownOf(groups))?.byPodPriority).toEqual([{ priority: 5, gracePeriodSeconds: 7 }]);
    expect((await preset(groups)).modules.standalone().map(({ name }) => name)).toContain('node-shutdown');
  });

  it('has the options of the Node object', async () => {
    const fields = `
providerID: aws:///i-1
registerNode: false
registerWithTaints: [{key: dedicated, value: x, effect: NoSchedule}]
nodeStatusUpdateFrequency: 5s
nodeStatusReportFrequency: 1m
kubeReserved: {cpu: 250m}
port: 10260
`;
    const args = ['--node-labels=a=b', '--node-ip=192.0.2.1,fd00::1', '--cloud-provider=external'];
    const { modules, node: options } = await preset(fields, args);
    expect(options.nodeIps).toEqual(['192.0.2.1', 'fd00::1']);
    expect(modules.optionsOf(nodeStatusConfiguration)).toMatchObject({
      settings: {
        nodeIps: ['192.0.2.1', 'fd00::1'],
        externalCloudProvider: true,
        providerId: 'aws:///i-1',
        labels: { a: 'b' },
        taints: [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }],
        kubeletPort: 10260,
      },
      registerNode: false,
      updatePeriodMs: 5_000,
      reportPeriodMs: 60_000,
      reservations: { kubeReserved: { cpu: '250m' } },
    });
  });

  it.each([
    ['a blank override', '', ['--hostname-override= '], {}, 'flags: the node has no name: set --hostname-override'],
    ['the override my_host', '', ['--hostname-override=my_host'], {}, 'flags: "my_host" cannot be the name of a node'],
    ['the override a..b', '', ['--hostname-override=a..b'], {}, 'flags: "a..b" cannot be the name of a node'],
    ['a long override', '', [`--hostname-override=${'a'.repeat(254)}`], {}, 'cannot be the name of a node'],
    ['a host without a name', '', [], { hostname: '' }, 'start: the node has no name: set --hostname-override'],
    ['a name as --node-ip', '', ['--node-ip=node1'], {}, 'flags: --node-ip "node1" is not an address of this node'],
    ['two addresses of a family', '', ['--node-ip=192.0.2.1,192.0.2.2'], {}, 'flags: --node-ip "192.0.2.1,192.0.2.2"'],
    ['another cloud provider', '', ['--cloud-provider=aws'], {}, '--cloud-provider "aws" is unknown'],
    ['an unspecified address beside another', '', ['--node-ip=0.0.0.0,fd00::1'], {}, 'flags: --node-ip "0.0.0.0,fd00'],
    ['a URL without a host', '', ['--manifest-url=/etc/x'], {}, '"/etc/x" is not a URL'],
    [
      'a header name with a blank, also without a URL',
      'staticPodURLHeader: {bad name: [x]}\n',
      [],
      {},
      'start: staticPodURLHeader: "bad name" is not a name of an HTTP header',
    ],
    [
      'a header value that HTTP does not allow',
      '',
      ['--manifest-url-header=X-Token: se\u0000cret'],
      {},
      'start: staticPodURLHeader: the value of header "X-Token" has characters that HTTP does not allow',
    ],
    [
      'kernel parameters that are not namespaced',
      'allowedUnsafeSysctls: [vm.swappiness]\n',
      [],
      {},
      'start: allowedUnsafeSysctls: the sysctls "vm.swappiness" are not known to be namespaced',
    ],
    [
      'credential providers that it cannot read',
      '',
      ['--image-credential-provider-config=/none', '--image-credential-provider-bin-dir=/none'],
      {},
      'start: --image-credential-provider-config "/none": ',
    ],
    [
      'credential providers without their programs',
      '',
      ['--image-credential-provider-config=/a'],
      {},
      'flags: --image-credential-provider-config and --image-credential-provider-bin-dir need each other',
    ],
    [
      'programs of credential providers without their configuration',
      '',
      ['--image-credential-provider-bin-dir=/a'],
      {},
      'need each other',
    ],
    ['a log size that is not a quantity', 'containerLogMaxSize: x\n', [], {}, 'invalid containerLogMaxSize "x"'],
  ])('rejects %s', async (_title, fields, args, facts, problem) => {
    const message = await rejection(fields, args, facts);
    expect(message).toContain(problem);
    expect(message).not.toContain('cret');
  });
});
