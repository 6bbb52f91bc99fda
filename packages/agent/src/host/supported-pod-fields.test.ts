import { containerFields } from '@rxlet/agent-api/pod-fields';
import { fieldOf, type ObjectTable, tables, type ValueTable } from '@rxlet/kube-api/tables';
import { testPod, type TestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { corePodFields } from './core-pod-fields.ts';
import { createUnsupportedPodFields } from './supported-pod-fields.ts';

const unsupported = createUnsupportedPodFields(corePodFields);
const ofContainer = (container: NonNullable<TestPod['containers']>[number]): readonly string[] =>
  unsupported(testPod({ containers: [{}, { name: 'b', ...container }] }));
const ofSpec = (spec: TestPod['spec']): readonly string[] => unsupported(testPod({ spec }));

describe('supported pod fields', () => {
  it('accepts a pod that the core honours as a whole', () => {
    const pod = testPod({
      initContainers: [{ name: 'i', restartPolicy: 'Always' }],
      containers: [
        {
          env: [{ name: 'A', value: '1' }],
          ports: [{ containerPort: 80, hostPort: 80 }],
          resources: { requests: { cpu: '1' }, limits: { memory: '1Gi', 'hugepages-2Mi': '2Mi' } },
          securityContext: { runAsUser: 5 },
          volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }],
          volumeDevices: [],
        },
      ],
      spec: { hostNetwork: true, volumes: [{ name: 'v', image: {} }], hostUsers: true, runtimeClassName: '' },
    });
    expect(unsupported(pod)).toEqual([]);
  });

  it('names unsupported fields of the pod', () => {
    expect(ofSpec({ volumes: [{ name: 'v', emptyDir: {} }] })).toEqual(['spec.volumes[0].emptyDir']);
    expect(ofSpec({ resourceClaims: [{ name: 'gpu' }] })).toEqual(['spec.resourceClaims']);
    expect(ofSpec({ resources: { limits: { cpu: '1' } } })).toEqual(['spec.resources']);
    expect(ofSpec({ runtimeClassName: 'gvisor' })).toEqual(['spec.runtimeClassName']);
  });

  it('names unsupported fields of containers of every kind', () => {
    expect(ofContainer({ volumeDevices: [{ name: 'v', devicePath: '/v' }] })).toEqual([
      'spec.containers[1].volumeDevices',
    ]);
    expect(ofContainer({ lifecycle: { preStop: {}, postStart: {} } }).toSorted()).toEqual([
      'spec.containers[1].lifecycle.postStart',
      'spec.containers[1].lifecycle.preStop',
    ]);
    expect(ofContainer({ livenessProbe: {} })).toEqual(['spec.containers[1].livenessProbe']);
    expect(ofContainer({ resources: { claims: [{ name: 'gpu' }] } })).toEqual(['spec.containers[1].resources.claims']);
    expect(ofContainer({ resources: { limits: { 'example.com/gpu': 1 } } })).toEqual([
      'spec.containers[1].resources.limits[example.com/gpu]',
    ]);
    const pod = testPod({
      initContainers: [{ name: 'i', startupProbe: {} }],
      spec: {
        ephemeralContainers: [{ name: 'e', volumeDevices: [{ name: 'v', devicePath: '/v' }] }],
      },
    });
    expect(unsupported(pod).toSorted()).toEqual([
      'spec.ephemeralContainers[0].volumeDevices',
      'spec.initContainers[0].startupProbe',
    ]);
  });

  it('accepts what further modules support', () => {
    const withProbes = createUnsupportedPodFields([
      ...corePodFields,
      ...containerFields('livenessProbe', 'lifecycle.preStop'),
      { path: 'spec.runtimeClassName', accepts: (value) => value === 'gvisor' },
    ]);
    const pod = testPod({
      containers: [{ livenessProbe: { periodSeconds: 1 }, lifecycle: { preStop: {} } }],
      spec: { runtimeClassName: 'gvisor' },
    });
    expect(withProbes(pod)).toEqual([]);
    expect(withProbes(testPod({ spec: { runtimeClassName: 'kata' } }))).toEqual(['spec.runtimeClassName']);
  });

  it('mentions only fields that the API has', () => {
    for (const field of corePodFields) {
      const path = typeof field === 'string' ? field : field.path;
      expect(hasPath(tables['io.k8s.api.core.v1.PodSpec'], path.split('.').slice(1)), path).toBe(true);
    }
  });
});

function hasPath(table: ObjectTable, [segment, ...rest]: readonly string[]): boolean {
  if (segment === undefined) return true;
  let value: ValueTable | undefined = fieldOf(table, segment.replace('[*]', ''));
  if (value?.type === 'array' && segment.endsWith('[*]')) value = value.items;
  // A map has any key.
  if (value?.type === 'map') return rest.length === 0 || (rest.length === 1 && rest[0] === '*');
  return value?.type === 'object-ref' ? hasPath(tables[value.ref], rest) : value !== undefined && rest.length === 0;
}
