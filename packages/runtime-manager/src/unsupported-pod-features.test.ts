import { testPod, type TestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { unsupportedPodFeatures } from './unsupported-pod-features.ts';

const ofContainer = (container: NonNullable<TestPod['containers']>[number]): string[] =>
  unsupportedPodFeatures(testPod({ containers: [{}, { name: 'b', ...container }] }));
const ofSpec = (spec: TestPod['spec']): string[] => unsupportedPodFeatures(testPod({ spec }));

describe('unsupportedPodFeatures', () => {
  it('finds nothing in a pod that gets all it asks for', () => {
    const pod = testPod({
      initContainers: [{ name: 'i', restartPolicy: 'Always' }],
      containers: [
        {
          env: [{ name: 'A', value: '1' }],
          ports: [{ containerPort: 80, hostPort: 80 }],
          resources: { requests: { cpu: '1' }, limits: { memory: '1Gi', 'hugepages-2Mi': '2Mi' } },
          securityContext: { runAsUser: 5 },
        },
      ],
      spec: { hostNetwork: true, volumes: [], hostUsers: true, runtimeClassName: '' },
    });
    expect(unsupportedPodFeatures(pod)).toEqual([]);
  });

  it('names the fields of the pod', () => {
    expect(ofSpec({ volumes: [{ name: 'v', emptyDir: {} }] })).toEqual(['spec.volumes[0]']);
    expect(ofSpec({ hostUsers: false })).toEqual(['spec.hostUsers']);
    expect(ofSpec({ resourceClaims: [{ name: 'gpu' }] })).toEqual(['spec.resourceClaims']);
    expect(ofSpec({ resources: { limits: { cpu: '1' } } })).toEqual(['spec.resources']);
    expect(ofSpec({ runtimeClassName: 'gvisor' })).toEqual(['spec.runtimeClassName']);
  });

  it('names the fields of containers of every kind', () => {
    expect(ofContainer({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })).toEqual([
      'spec.containers[1].volumeMounts',
    ]);
    expect(ofContainer({ volumeDevices: [{ name: 'v', devicePath: '/v' }] })).toEqual([
      'spec.containers[1].volumeDevices',
    ]);
    expect(ofContainer({ lifecycle: { preStop: {}, postStart: {} } })).toEqual([
      'spec.containers[1].lifecycle.postStart',
      'spec.containers[1].lifecycle.preStop',
    ]);
    expect(ofContainer({ livenessProbe: {}, readinessProbe: {}, startupProbe: {} })).toEqual([
      'spec.containers[1].livenessProbe',
      'spec.containers[1].readinessProbe',
      'spec.containers[1].startupProbe',
    ]);
    expect(ofContainer({ resources: { claims: [{ name: 'gpu' }] } })).toEqual(['spec.containers[1].resources.claims']);
    expect(ofContainer({ resources: { limits: { 'example.com/gpu': 1 } } })).toEqual([
      'spec.containers[1].resources.limits[example.com/gpu]',
    ]);
    const pod = testPod({
      initContainers: [{ name: 'i', startupProbe: {} }],
      spec: { ephemeralContainers: [{ name: 'e', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
    });
    expect(unsupportedPodFeatures(pod)).toEqual([
      'spec.initContainers[0].startupProbe',
      'spec.ephemeralContainers[0].volumeMounts',
    ]);
  });

  it('leaves out what the agent has more parts for', () => {
    const pod = testPod({
      containers: [{ livenessProbe: {}, lifecycle: { preStop: {} } }],
      spec: { runtimeClassName: 'gvisor' },
    });
    expect(unsupportedPodFeatures(pod, { probes: true, lifecycleHooks: true, runtimeClasses: true })).toEqual([]);
    expect(unsupportedPodFeatures(pod, { probes: true })).toHaveLength(2);
  });
});
