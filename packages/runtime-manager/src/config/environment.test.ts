import type { EnvVar, ResourceFieldSelector } from '@rxlet/kube-api';
import { testPod, type TestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { containerEnvironment } from './environment.ts';

const settings = {
  nodeIps: ['192.0.2.1', '2001:db8::1'],
  allocatable: { cpu: '3500m', memory: '1000Mi', 'ephemeral-storage': '10Gi' },
};

function environmentOf(
  env: readonly EnvVar[],
  pod: TestPod = {},
  podIps: readonly string[] = [],
): Record<string, string> {
  const [first = {}, ...others] = pod.containers ?? [];
  const given = testPod({ ...pod, containers: [{ ...first, env }, ...others] });
  return Object.fromEntries(containerEnvironment(given, given.spec!.containers[0]!, podIps, settings));
}

const field = (fieldPath: string): EnvVar => ({ name: 'X', valueFrom: { fieldRef: { fieldPath } } });
const resource = (resourceFieldRef: ResourceFieldSelector): EnvVar => ({ name: 'X', valueFrom: { resourceFieldRef } });

describe('containerEnvironment', () => {
  it('lets values refer to earlier ones, and the last of equal names count', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '$(A)-$(C)-$$(A)' },
      { name: 'A', value: '2' },
      { name: 'C', value: '$(A)' },
      { name: 'E' },
    ];
    expect(environmentOf(env)).toEqual({ A: '2', B: '1-$(C)-$(A)', C: '2', E: '' });
  });

  it('reads fields of the pod', () => {
    const pod: TestPod = {
      labels: { 'app/x': 'web', b: 'q"' },
      annotations: { note: 'hi \u001b' },
      spec: { nodeName: 'n1', serviceAccountName: 'sa' },
    };
    const value = (path: string, podIps: string[] = []): string | undefined =>
      environmentOf([field(path)], pod, podIps)['X'];
    expect(value('metadata.name')).toBe('web');
    expect(value('metadata.namespace')).toBe('default');
    expect(value('metadata.uid')).toBe('uid-web');
    expect(value("metadata.labels['app/x']")).toBe('web');
    expect(value("metadata.annotations['none']")).toBe('');
    expect(value('metadata.labels')).toBe('app/x="web"\nb="q\\""');
    expect(value('metadata.annotations')).toBe(String.raw`note="hi \x1b"`);
    expect(value('spec.nodeName')).toBe('n1');
    expect(value('spec.serviceAccountName')).toBe('sa');
    expect(value('status.hostIP')).toBe('192.0.2.1');
    expect(value('status.hostIPs')).toBe('192.0.2.1,2001:db8::1');
    expect(value('status.podIP', ['fd00::7', '10.0.0.7'])).toBe('10.0.0.7');
    expect(value('status.podIPs', ['fd00::7', '10.0.0.7'])).toBe('10.0.0.7,fd00::7');
    expect(() => value('spec.nonsense')).toThrow('unsupported fieldPath: spec.nonsense');
  });

  it('reads resources, divided and rounded up, with the node behind missing limits', () => {
    const pod: TestPod = {
      containers: [{ resources: { requests: { cpu: '250m', memory: '100Mi' }, limits: { cpu: '1500m' } } }],
      initContainers: [{ name: 'init' }],
    };
    const value = (ref: ResourceFieldSelector): string | undefined => environmentOf([resource(ref)], pod)['X'];
    expect(value({ resource: 'requests.cpu' })).toBe('1');
    expect(value({ resource: 'requests.cpu', divisor: '1m' })).toBe('250');
    expect(value({ resource: 'limits.cpu' })).toBe('2');
    expect(value({ resource: 'requests.memory', divisor: '1Mi' })).toBe('100');
    expect(value({ resource: 'limits.memory', divisor: '1Mi' })).toBe('1000');
    expect(value({ resource: 'limits.ephemeral-storage', divisor: '1Gi' })).toBe('10');
    expect(value({ resource: 'requests.ephemeral-storage' })).toBe('0');
    expect(value({ resource: 'limits.memory', containerName: 'init' })).toBe('0');
    expect(() => value({ resource: 'limits.fun' })).toThrow('unsupported container resource : limits.fun');
    expect(() => value({ resource: 'limits.cpu', containerName: 'who' })).toThrow('container who not found');
  });

  it.each([
    [
      { configMapKeyRef: { name: 'm', key: 'k', optional: true } },
      "couldn't get configMap default/m, no kubeClient defined",
    ],
    [{ secretKeyRef: { name: 's', key: 'k' } }, "couldn't get secret default/s, no kubeClient defined"],
    [{ fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } }, 'cannot find the volume "v" referenced by FileKeyRef'],
  ])('has no value for %o', (valueFrom, message) => {
    expect(() => environmentOf([{ name: 'X', valueFrom }])).toThrow(
      expect.objectContaining({ reason: 'CreateContainerConfigError', message }),
    );
  });

  it('has nothing from whole ConfigMaps and Secrets either', () => {
    const envFrom = [{ configMapRef: { name: 'm' } }];
    expect(() => environmentOf([], { containers: [{ envFrom }] })).toThrow(
      "couldn't get configMap default/m, no kubeClient defined",
    );
  });
});
