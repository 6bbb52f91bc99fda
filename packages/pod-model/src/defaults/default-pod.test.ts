import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodSpec, Volume } from '@rxlet/kube-api';
import { defaultPod } from './default-pod.ts';

function specOf(spec: Partial<PodSpec>): PodSpec {
  return defaultPod({ spec: { containers: [], ...spec } }).spec!;
}

function containerOf(container: Partial<Container>, spec: Partial<PodSpec> = {}): Container {
  return specOf({ ...spec, containers: [{ name: 'c', image: 'b', ...container }] }).containers[0]!;
}

describe('defaultPod', () => {
  it('completes the spec and keeps what is set', () => {
    expect(specOf({})).toEqual({
      containers: [],
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      securityContext: {},
      enableServiceLinks: true,
      terminationGracePeriodSeconds: 30,
    });
    const set = {
      restartPolicy: 'Never',
      dnsPolicy: 'Default',
      schedulerName: 'own',
      securityContext: { fsGroup: 1 },
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 0,
    } as const;
    expect(specOf(set)).toEqual({ containers: [], ...set });
    expect(specOf({ terminationGracePeriodSeconds: -5 }).terminationGracePeriodSeconds).toBe(1);
  });

  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['localhost:5000/nginx', 'Always'],
    [`nginx:latest@sha256:${'0'.repeat(64)}`, 'Always'],
    ['nginx:1', 'IfNotPresent'],
    [`nginx@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
    ['', 'IfNotPresent'],
  ])('pulls image %j with policy %s', (image, policy) => {
    expect(containerOf({ image }).imagePullPolicy).toBe(policy);
  });

  it('gives ports a protocol, and on the host network the port of the host', () => {
    const ports = [{ containerPort: 80 }, { containerPort: 53, hostPort: 53, protocol: 'UDP' as const }];
    expect(containerOf({ ports }).ports).toEqual([{ containerPort: 80, protocol: 'TCP' }, ports[1]]);
    expect(containerOf({ ports }, { hostNetwork: true }).ports).toEqual([
      { containerPort: 80, hostPort: 80, protocol: 'TCP' },
      ports[1],
    ]);
  });

  it('requests what is allowed, unless a request is set', () => {
    expect(
      containerOf({ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } } }).resources,
    ).toEqual({
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '100m', memory: '1Gi' },
    });
  });

  it('rounds amounts up to thousandths', () => {
    expect(containerOf({ resources: { requests: { cpu: '100u', memory: '1500m' } } }).resources?.requests).toEqual({
      cpu: '1m',
      memory: '1500m',
    });
  });

  it('completes probes and hooks', () => {
    const httpGet = { port: 80 };
    expect(
      containerOf({ readinessProbe: { httpGet, periodSeconds: 5 }, lifecycle: { preStop: { httpGet } } }),
    ).toMatchObject({
      readinessProbe: {
        httpGet: { port: 80, path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 5,
        successThreshold: 1,
        failureThreshold: 3,
      },
      lifecycle: { preStop: { httpGet: { port: 80, path: '/', scheme: 'HTTP' } } },
    });
  });

  it.each<[Partial<Volume>, Partial<Volume>]>([
    [{}, { emptyDir: {} }],
    [{ hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    [{ secret: { secretName: 's' } }, { secret: { secretName: 's', defaultMode: 420 } }],
    [
      { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] } },
    ],
    [
      { downwardAPI: { items: [{ path: 'a', resourceFieldRef: { resource: 'limits.cpu' } }] } },
      {
        downwardAPI: {
          defaultMode: 420,
          items: [{ path: 'a', resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } }],
        },
      },
    ],
    [{ image: { reference: 'x' } }, { image: { reference: 'x', pullPolicy: 'Always' } }],
  ])('completes volume %j', (volume, completed) => {
    expect(specOf({ volumes: [{ name: 'v', ...volume }] }).volumes).toEqual([{ name: 'v', ...completed }]);
  });

  it('completes the resources of the pod as a whole', () => {
    const containers = [
      { name: 'c', image: 'b', resources: { requests: { cpu: '100m' }, limits: { 'hugepages-2Mi': '4Mi' } } },
    ];
    expect(specOf({ containers, resources: { limits: { cpu: '1', memory: '1Gi' } } }).resources).toEqual({
      limits: { cpu: '1', memory: '1Gi', 'hugepages-2Mi': '4Mi' },
      requests: { cpu: '100m', memory: '1Gi', 'hugepages-2Mi': '4Mi' },
    });
    expect(specOf({ containers }).resources).toBeUndefined();
  });

  it('does not change the pod it is given, and changes nothing the second time', () => {
    const pod: Pod = { spec: { containers: [{ name: 'c', image: 'b', ports: [{ containerPort: 80 }] }] } };
    const before = structuredClone(pod);
    const once = defaultPod(pod);
    expect(pod).toEqual(before);
    expect(defaultPod(once)).toEqual(once);
  });
});
