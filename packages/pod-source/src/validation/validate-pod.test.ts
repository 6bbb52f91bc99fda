import { describe, expect, it } from 'vitest';
import type { Container, PodSpec } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { defaultPod } from '../default-pod.ts';
import { validatePod } from './validate-pod.ts';

/** The fields that are wrong in a pod with this spec, which the recorded answers of a kubelet do not show. */
function fieldsOf(spec: Partial<PodSpec>): readonly string[] {
  return validatePod(defaultPod(testPod({ spec }))).map(({ field }) => field);
}

const c = (container: Partial<Container>): Partial<PodSpec> => ({
  containers: [{ name: 'c', image: 'b', ...container }],
});
const at = (field: string): string => `spec.containers[0].${field}`;

describe('validatePod', () => {
  it('finds nothing in a valid pod', () => {
    expect(fieldsOf({})).toEqual([]);
  });

  it('allows privileged containers unless told otherwise', () => {
    const pod = defaultPod(testPod({ spec: c({ securityContext: { privileged: true } }) }));
    expect(validatePod(pod)).toEqual([]);
    expect(validatePod(pod, { allowPrivileged: false }).map(({ field }) => field)).toEqual([
      at('securityContext.privileged'),
    ]);
  });

  it('checks metadata', () => {
    const pod = defaultPod(
      testPod({
        name: '',
        namespace: 'a.b',
        labels: { 'a/b/c': 'x', ok: '-' },
        annotations: { '/x': '', Big: 'x'.repeat(262_144) },
      }),
    );
    expect(validatePod(pod).map(({ field }) => field)).toEqual([
      'metadata.name',
      'metadata.namespace',
      'metadata.labels',
      'metadata.labels',
      'metadata.annotations',
      'metadata.annotations',
    ]);
  });

  it.each(['../../victim', '..', 'a/b', '.hidden', 'a\0b', `a${'b'.repeat(253)}`])('refuses %j as a UID', (uid) => {
    const fields = validatePod(defaultPod(testPod({ uid }))).map(({ field }) => field);
    expect(fields).toEqual(['metadata.uid']);
  });

  it.each<[string, Partial<PodSpec>, readonly string[]]>([
    ['no containers', { containers: [] }, ['spec.containers']],
    ['an image with spaces', c({ image: ' b' }), [at('image')]],
    [
      'a port given twice',
      c({
        ports: [
          { name: 'a', containerPort: 1 },
          { name: 'a', containerPort: 2 },
        ],
      }),
      [at('ports[1].name')],
    ],
    ['no port', c({ ports: [{ containerPort: 0 }] }), [at('ports[0].containerPort')]],
    [
      'a port of the host used twice',
      c({
        ports: [
          { containerPort: 1, hostPort: 8 },
          { containerPort: 2, hostPort: 8 },
        ],
      }),
      [at('ports[1].hostPort')],
    ],
    [
      'another port of the host on the host network',
      { ...c({ ports: [{ containerPort: 1, hostPort: 8 }] }), hostNetwork: true },
      [at('ports[0].hostPort')],
    ],
    ['a variable with an equals sign', c({ env: [{ name: 'A=B' }] }), [at('env[0].name')]],
    ['no source', c({ env: [{ name: 'A', valueFrom: {} }] }), [at('env[0].valueFrom')]],
    [
      'value and source',
      c({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      [at('env[0].valueFrom')],
    ],
    [
      'labels in the environment',
      c({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } }] }),
      [at('env[0].valueFrom.fieldRef.fieldPath')],
    ],
    [
      'one label in the environment',
      c({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } }] }),
      [],
    ],
    [
      'a wrong divisor',
      c({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1k' } } }] }),
      [at('env[0].valueFrom.resourceFieldRef.divisor')],
    ],
    [
      'a mount path used twice',
      {
        ...c({
          volumeMounts: [
            { name: 'v', mountPath: '/a' },
            { name: 'v', mountPath: '/a' },
          ],
        }),
        volumes: [{ name: 'v' }],
      },
      [at('volumeMounts[1].mountPath')],
    ],
    [
      'a mount of an invalid volume',
      { ...c({ volumeMounts: [{ name: 'v', mountPath: '/a' }] }), volumes: [{ name: 'v', hostPath: { path: '' } }] },
      ['spec.volumes[0].hostPath.path', at('volumeMounts[0].name')],
    ],
    [
      'recursive read-only without read-only',
      {
        ...c({ volumeMounts: [{ name: 'v', mountPath: '/a', recursiveReadOnly: 'Enabled' }] }),
        volumes: [{ name: 'v' }],
      },
      [at('volumeMounts.recursiveReadOnly')],
    ],
    [
      'a block device of a folder',
      { ...c({ volumeDevices: [{ name: 'v', devicePath: '/dev/a' }] }), volumes: [{ name: 'v' }] },
      [at('volumeDevices[0].name')],
    ],
    [
      'two handlers',
      c({ livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } }),
      [at('livenessProbe.tcpSocket')],
    ],
    [
      'a grace period of a readiness probe',
      c({ readinessProbe: { tcpSocket: { port: 'http' }, terminationGracePeriodSeconds: 1 } }),
      [at('readinessProbe.terminationGracePeriodSeconds')],
    ],
    [
      'half a device',
      c({ resources: { limits: { 'a.io/b': '500m' } } }),
      [at('resources.limits[a.io/b]'), at('resources.requests[a.io/b]')],
    ],
    [
      'a request that is not the limit',
      c({ resources: { limits: { 'a.io/b': '2' }, requests: { 'a.io/b': '1' } } }),
      [at('resources.requests')],
    ],
    ['hugepages alone', c({ resources: { limits: { 'hugepages-2Mi': '2Mi' } } }), [at('resources')]],
    [
      'half a page',
      c({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '1Mi' } } }),
      [at('resources.limits[hugepages-2Mi]'), at('resources.requests[hugepages-2Mi]')],
    ],
    [
      'a restart on resize of a pod that never restarts',
      { ...c({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }), restartPolicy: 'Never' },
      [at('resizePolicy')],
    ],
    [
      'rules without a policy',
      c({ restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [] } }] }),
      [at('restartPolicy'), at('restartPolicyRules[0].exitCodes.values')],
    ],
    [
      'a pod that requests less than its containers',
      { ...c({ resources: { requests: { cpu: '2' } } }), resources: { requests: { cpu: '1' } } },
      ['spec.resources.requests[cpu]'],
    ],
    ['no name server with policy None', { dnsPolicy: 'None', dnsConfig: {} }, ['spec.dnsConfig.nameservers']],
    ['a search domain with an underscore', { dnsConfig: { searches: ['_a.b.', '.'] } }, []],
    [
      'too many search domains',
      { dnsConfig: { searches: Array.from({ length: 33 }, () => 'a') } },
      ['spec.dnsConfig.searches'],
    ],
    ['an alias without an address', { hostAliases: [{ ip: 'x' }] }, ['spec.hostAliases[0].ip']],
    ['a toleration of nothing', { tolerations: [{ value: 'a' }] }, ['spec.tolerations[0].operator']],
    [
      'seconds without NoExecute',
      { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 1 }] },
      ['spec.tolerations[0].effect'],
    ],
    ['users of its own and the processes of the node', { hostUsers: false, hostPID: true }, ['spec.HostPID']],
    [
      'Windows options on Linux',
      { ...c({ securityContext: { windowsOptions: {} } }), os: { name: 'linux' } },
      [at('securityContext.windowsOptions')],
    ],
    [
      'Linux fields on Windows',
      { ...c({ securityContext: { privileged: true } }), os: { name: 'windows' }, hostPID: true },
      ['spec.hostPID', at('securityContext.privileged')],
    ],
    [
      'a network parameter on the host network',
      { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.a', value: '1' }] } },
      ['spec.securityContext.sysctls[0].name'],
    ],
    [
      'a projected path used twice',
      {
        volumes: [
          {
            name: 'v',
            projected: {
              sources: [1, 2].map(() => ({
                downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] },
              })),
            },
          },
        ],
      },
      ['spec.volumes[0].projected'],
    ],
    [
      'an affinity to nothing',
      { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
      ['spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms'],
    ],
    [
      'an anti-affinity without a topology',
      { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] } } },
      ['spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey'],
    ],
    [
      'a spread by nothing',
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }] },
      ['spec.topologySpreadConstraints[0].maxSkew'],
    ],
    [
      'a host name of its own on the host network',
      { hostNetwork: true, hostnameOverride: 'a' },
      ['spec.hostnameOverride'],
    ],
  ])('judges %s', (_, spec, fields) => {
    expect(fieldsOf(spec)).toEqual(fields);
  });
});
