import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodSpec, Signal } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { validatePod } from './validate-pod.ts';

/** Returns the invalid fields of a pod with this spec, for rules that the recorded answers of a kubelet do not cover. */
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

  it('allows privileged containers by default', () => {
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

  it('checks owners and the name to generate', () => {
    const owner = (name: string) => ({ apiVersion: 'v1', kind: 'A', name, uid: name });
    const controller = { controller: true };
    const metadataFields = (metadata: Pod['metadata']): readonly string[] =>
      validatePod(defaultPod(testPod({ metadata: { ...metadata } }))).map(({ field }) => field);
    expect(metadataFields({ ownerReferences: [owner('a'), { ...owner('b'), ...controller }] })).toEqual([]);
    const two = [owner('a'), owner('b')].map((each) => ({ ...each, ...controller }));
    expect(metadataFields({ ownerReferences: two })).toEqual(['metadata.ownerReferences']);
    expect(metadataFields({ ownerReferences: [{ ...owner('a'), kind: 'Event' }] })).toEqual([
      'metadata.ownerReferences',
    ]);
    expect(metadataFields({ generateName: 'web-' })).toEqual([]);
    expect(metadataFields({ generateName: 'Web_' })).toEqual(['metadata.generateName']);
  });

  it.each(['../a', '/a', 'a/../b', '..a'])('keeps the file of a variable in its volume: %j', (path) => {
    const fileKeyRef = { key: 'A', path, volumeName: 'v' };
    const env = [{ name: 'A', valueFrom: { fileKeyRef } }];
    expect(fieldsOf(c({ env }))).toEqual([at('env[0].valueFrom.fileKeyRef.path')]);
    expect(fieldsOf(c({ env: [{ name: 'A', valueFrom: { fileKeyRef: { ...fileKeyRef, path: 'a/b' } } }] }))).toEqual(
      [],
    );
  });

  it.each<[string, Record<string, string>, readonly string[]]>([
    [
      'seccomp profiles',
      { 'seccomp.security.alpha.kubernetes.io/pod': 'unknown' },
      ['metadata.annotations.seccomp.security.alpha.kubernetes.io/pod'],
    ],
    [
      'AppArmor profiles and their containers',
      { 'container.apparmor.security.beta.kubernetes.io/none': 'unknown' },
      Array<string>(2).fill('metadata.annotations[container.apparmor.security.beta.kubernetes.io/none]'),
    ],
    [
      'the cost of deletion',
      { 'controller.kubernetes.io/pod-deletion-cost': '01' },
      ['metadata.annotations[controller.kubernetes.io/pod-deletion-cost]'],
    ],
    [
      'contradictions to the fields',
      {
        'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined',
        'container.apparmor.security.beta.kubernetes.io/c': 'localhost/a',
      },
      [at('securityContext.seccompProfile.type'), at('securityContext.appArmorProfile.localhostProfile')],
    ],
  ])('checks the annotations for %s', (_, annotations, fields) => {
    const securityContext = {
      seccompProfile: { type: 'RuntimeDefault' as const },
      appArmorProfile: { type: 'Localhost' as const, localhostProfile: 'b' },
    };
    const pod = defaultPod(testPod({ annotations, spec: c({ securityContext }) }));
    expect(validatePod(pod).map(({ field }) => field)).toEqual(fields);
  });

  it.each(['../../victim', '..', 'a/b', '.hidden', 'a\0b', `a${'b'.repeat(253)}`])('rejects %j as a UID', (uid) => {
    const fields = validatePod(defaultPod(testPod({ uid }))).map(({ field }) => field);
    expect(fields).toEqual(['metadata.uid']);
  });

  it.each<[string, Partial<PodSpec>, readonly string[]]>([
    ['no containers', { containers: [] }, ['spec.containers']],
    ['an image with spaces', c({ image: ' b' }), [at('image')]],
    [
      'another port of the host on the host network in an init container, which is exempt',
      {
        ...c({}),
        hostNetwork: true,
        initContainers: [{ name: 'i', image: 'b', ports: [{ containerPort: 1, hostPort: 8 }] }],
      },
      [],
    ],
    [
      'a claim that the pod does not have',
      c({ resources: { claims: [{ name: 'gpu' }] } }),
      [at('resources.claims[0]')],
    ],
    [
      'host processes of Windows beside others',
      {
        containers: [
          { name: 'a', image: 'b', securityContext: { windowsOptions: { hostProcess: true } } },
          { name: 'b', image: 'b' },
        ],
      },
      ['spec', 'spec.hostNetwork'],
    ],
    [
      'a container that contradicts the pod about host processes',
      {
        ...c({ securityContext: { windowsOptions: { hostProcess: false } } }),
        securityContext: { windowsOptions: { hostProcess: true } },
      },
      [at('securityContext.windowsOptions.hostProcess')],
    ],
    [
      'options for Windows that are invalid',
      c({
        securityContext: {
          windowsOptions: { gmsaCredentialSpecName: 'A', gmsaCredentialSpec: '', runAsUserName: 'a\\b\\c' },
        },
      }),
      ['gmsaCredentialSpecName', 'gmsaCredentialSpec', 'runAsUserName'].map((field) =>
        at(`securityContext.windowsOptions.${field}`),
      ),
    ],
    [
      'the same spread constraint twice, with keys that the selector has',
      {
        ...c({}),
        topologySpreadConstraints: [1, 2].map((maxSkew) => ({
          maxSkew,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule' as const,
          matchLabelKeys: ['app'],
          ...(maxSkew === 1 && { labelSelector: { matchLabels: { app: 'a' } } }),
        })),
      },
      [
        'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}',
        'spec.topologySpreadConstraints[0].matchLabelKeys[0]',
        'spec.topologySpreadConstraints[1].matchLabelKeys',
      ],
    ],
    [
      'label keys of an affinity that contradict each other',
      {
        ...c({}),
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'zone', labelSelector: {}, matchLabelKeys: ['a'], mismatchLabelKeys: ['a', '/'] },
              { topologyKey: 'zone', matchLabelKeys: ['a'] },
            ],
          },
        },
      },
      ['[0].mismatchLabelKeys[1]', '[0].mismatchLabelKeys[1]', '[0].matchLabelKeys[0]', '[1].matchLabelKeys'].map(
        (field) => `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution${field}`,
      ),
    ],
    [
      'a stop signal without an operating system',
      c({ lifecycle: { stopSignal: 'SIGUSR1' } }),
      [at('lifecycle.stopSignal')],
    ],
    [
      'a stop signal that Windows does not have',
      { ...c({ lifecycle: { stopSignal: 'SIGUSR1' } }), os: { name: 'windows' } },
      [at('lifecycle.stopSignal')],
    ],
    [
      'no signal of Linux',
      { ...c({ lifecycle: { stopSignal: 'SIGRTMIN+16' as Signal } }), os: { name: 'linux' } },
      [at('lifecycle.stopSignal')],
    ],
    ['a signal of Linux', { ...c({ lifecycle: { stopSignal: 'SIGRTMAX-14' } }), os: { name: 'linux' } }, []],
    ['a signal of Windows', { ...c({ lifecycle: { stopSignal: 'SIGKILL' } }), os: { name: 'windows' } }, []],
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
