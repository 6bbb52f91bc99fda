import { otherPods } from '@rxlet/agent-api';
import type { Node, Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { toRejection } from '../admission-failure.ts';
import { node, pod, requesting } from '../test-support.ts';
import { generalFailures } from './general-predicates.ts';

const messages = (judged: Pod, on: Node, ...others: readonly Pod[]): readonly string[] =>
  generalFailures(judged, on, otherPods(others)).map((failure) => toRejection(failure).message);
const reasons = (judged: Pod, on: Node, ...others: readonly Pod[]): readonly string[] =>
  generalFailures(judged, on, otherPods(others)).map((failure) => toRejection(failure).reason);

describe('resources', () => {
  it('use the units of the kubelet', () => {
    const more = requesting('new', { cpu: '1500m', memory: '1Gi' });
    expect(messages(more, node({ cpu: '2', memory: '1G' }), requesting('a', { cpu: '600m' }))).toEqual([
      "Node didn't have enough resource: cpu, requested: 1500, used: 600, capacity: 2000",
      "Node didn't have enough resource: memory, requested: 1073741824, used: 0, capacity: 1000000000",
    ]);
  });

  it('fit up to the last unit', () => {
    const others = [requesting('a', { cpu: '1', memory: '4Gi' })];
    expect(reasons(requesting('new', { cpu: '3', memory: '4Gi' }), node(), ...others)).toEqual([]);
    expect(reasons(requesting('new', { cpu: '3001m', memory: '4Gi' }), node(), ...others)).toEqual(['OutOfcpu']);
  });

  it('include the number of pods, also for a pod without requests', () => {
    const others = [pod('a'), pod('b')];
    expect(messages(pod('new'), node({ pods: '2' }), ...others)).toEqual([
      "Node didn't have enough resource: pods, requested: 1, used: 2, capacity: 2",
    ]);
    expect(reasons(pod('new'), { metadata: { name: 'node1' } })).toEqual(['OutOfpods']);
  });

  it('may be used beyond the capacity by pods that request none of them', () => {
    expect(reasons(requesting('new', { memory: '1Gi' }), node(), requesting('a', { cpu: '9' }))).toEqual([]);
  });

  it.each(['ephemeral-storage', 'hugepages-2Mi', 'attachable-volumes-x', 'kubernetes.io/batch'])(
    'reject a pod when the node lacks them: %s',
    (resource) => {
      expect(reasons(requesting('new', { [resource]: '1' }), node())).toEqual([`OutOf${resource}`]);
      expect(reasons(requesting('new', { [resource]: '0' }), node())).toEqual([]);
    },
  );

  it('count for a vendor only when the node advertises them', () => {
    const gpu = requesting('new', { 'example.com/gpu': '2' });
    expect(reasons(gpu, node())).toEqual([]);
    expect(reasons(gpu, node({ 'example.com/gpu': '1' }))).toEqual(['OutOfexample.com/gpu']);
    const requestMappings = [{ containerName: 'app', requestName: 'r', resourceName: 'example.com/gpu' }];
    const claimed = { ...gpu, status: { extendedResourceClaimStatus: { resourceClaimName: 'c', requestMappings } } };
    expect(reasons(claimed, node({ 'example.com/gpu': '1' }))).toEqual([]);
  });

  it('include overhead, pod-level requests, sidecars and the largest init container', () => {
    const made = requesting(
      'new',
      { cpu: '1', memory: '9Gi' },
      {
        overhead: { cpu: '250m' },
        resources: { requests: { memory: '1Gi' } },
        initContainers: [
          { name: 'side', image: 'i', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } },
          { name: 'init', image: 'i', resources: { requests: { cpu: '3' } } },
        ],
      },
    );
    expect(messages(made, node())).toEqual([
      "Node didn't have enough resource: cpu, requested: 4250, used: 0, capacity: 4000",
    ]);
  });

  it('count with the larger of the two sizes of a resized pod', () => {
    const resources = { requests: { cpu: '3' } };
    const app = { name: 'app', image: 'i', imageID: '', ready: true, restartCount: 0, resources };
    const shrinking: Pod = { ...requesting('a', { cpu: '1' }), status: { containerStatuses: [app] } };
    expect(reasons(requesting('new', { cpu: '2' }), node(), shrinking)).toEqual(['OutOfcpu']);
  });
});

describe('node selection', () => {
  const affine = (key: string, operator: string, ...values: readonly string[]): Pod =>
    pod('new', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key, operator: operator as 'In', values }] }],
          },
        },
      },
    });

  it.each<[string, string, readonly string[], boolean]>([
    ['disk', 'In', ['hdd', 'ssd'], true],
    ['disk', 'In', ['hdd'], false],
    ['disk', 'NotIn', ['hdd'], true],
    ['zone', 'NotIn', ['a'], true],
    ['disk', 'Exists', [], true],
    ['zone', 'Exists', [], false],
    ['zone', 'DoesNotExist', [], true],
    ['cores', 'Gt', ['15'], true],
    ['cores', 'Gt', ['16'], false],
    ['cores', 'Lt', ['17'], true],
    ['disk', 'Gt', ['1'], false],
    ['zone', 'Lt', ['1'], false],
    ['constructor', 'Exists', [], false],
    ['disk', 'In', [], false],
    ['disk', 'Exists', ['ssd'], false],
    ['cores', 'Gt', ['9223372036854775808'], false],
    ['bad key', 'NotIn', ['a'], false],
    ['zone', 'NotIn', ['not a value'], false],
    ['zone', 'Near', ['a'], false],
  ])('by %s %s %j matches: %s', (key, operator, values, matches) => {
    expect(reasons(affine(key, operator, ...values), node())).toEqual(matches ? [] : ['NodeAffinity']);
  });

  it('needs each label of the node selector', () => {
    expect(reasons(pod('new', { nodeSelector: { disk: 'ssd', cores: '16' } }), node())).toEqual([]);
    expect(messages(pod('new', { nodeSelector: { disk: 'ssd', zone: 'a' } }), node())).toEqual([
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ]);
  });

  it.each<[string, object[], boolean]>([
    ['one of the terms', [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, byName('In', 'node1')], true],
    ['the name of another node', [byName('In', 'node2')], false],
    ['not the name', [byName('NotIn', 'node2')], true],
    ['a malformed field', [byName('In', 'node1', 'node2')], false],
    ['an empty term', [{}], false],
    ['no term', [], false],
  ])('matches %s', (_title, nodeSelectorTerms, matches) => {
    const required = { nodeSelectorTerms };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
    expect(reasons(pod('new', { affinity: { nodeAffinity } }), node())).toEqual(matches ? [] : ['NodeAffinity']);
  });
});

function byName(operator: string, ...values: readonly string[]): object {
  return { matchFields: [{ key: 'metadata.name', operator, values }] };
}

describe('host ports', () => {
  const listening = (name: string, ...ports: readonly object[]): Pod =>
    pod(name, { containers: [{ name: 'app', image: 'i', ports: ports as [] }] });

  it.each<[object, object, boolean]>([
    [{ hostPort: 80 }, { hostPort: 80 }, false],
    [{ hostPort: 80 }, { hostPort: 80, protocol: 'UDP' }, true],
    [{ hostPort: 80, hostIP: '192.0.2.1' }, { hostPort: 80, hostIP: '192.0.2.2' }, true],
    [{ hostPort: 80, hostIP: '192.0.2.1' }, { hostPort: 80, hostIP: '192.0.2.1', protocol: 'TCP' }, false],
    [{ hostPort: 80, hostIP: '192.0.2.1' }, { hostPort: 80, hostIP: '0.0.0.0' }, false],
    [{ hostPort: 80 }, { hostPort: 80, hostIP: '127.0.0.1' }, false],
    [{ containerPort: 80 }, { containerPort: 80 }, true],
  ])('%j beside %j are free: %s', (wanted, used, free) => {
    expect(reasons(listening('new', wanted), node(), listening('a', { hostPort: 443 }, used))).toEqual(
      free ? [] : ['NodePorts'],
    );
  });

  it('include those of sidecars, but not of init containers that end', () => {
    const container = { name: 'i', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] };
    expect(reasons(listening('new', { hostPort: 80 }), node(), pod('a', { initContainers: [container] }))).toEqual([]);
    const sidecar = { ...container, restartPolicy: 'Always' as const };
    expect(messages(listening('new', { hostPort: 80 }), node(), pod('a', { initContainers: [sidecar] }))).toEqual([
      "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ]);
  });
});

describe('taints', () => {
  const tainted = (effect: 'NoExecute' | 'NoSchedule'): Node =>
    node({}, { spec: { taints: [{ key: 'k', value: 'v', effect }] } });
  const tolerating = (toleration: object): Pod => pod('new', { tolerations: [toleration] });

  it.each<[object, boolean]>([
    [{ key: 'k', operator: 'Exists' }, true],
    [{ operator: 'Exists' }, true],
    [{ key: 'k', value: 'v' }, true],
    [{ key: 'k', value: 'v', operator: 'Equal', effect: 'NoExecute' }, true],
    [{ key: 'k', value: 'w' }, false],
    [{ key: 'l', operator: 'Exists' }, false],
    [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }, false],
    [{ key: 'k', operator: 'Gt', value: 'v' }, false],
  ])('match the tolerations %j: %s', (toleration, tolerated) => {
    expect(reasons(tolerating(toleration), tainted('NoExecute'))).toEqual(tolerated ? [] : ['TaintToleration']);
  });

  it('do not count for static pods or when they concern the scheduler alone', () => {
    expect(reasons(pod('new'), tainted('NoSchedule'))).toEqual([]);
    const annotations = { 'kubernetes.io/config.source': 'file' };
    expect(reasons(pod('new', {}, { metadata: { annotations } }), tainted('NoExecute'))).toEqual([]);
    expect(messages(pod('new'), tainted('NoExecute'))).toEqual([
      "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    ]);
  });
});

describe('all failures', () => {
  it('appear in the order of the kubelet', () => {
    const other = pod('a', { containers: [{ name: 'app', image: 'i', ports: [{ containerPort: 1, hostPort: 1 }] }] });
    const made = pod('new', {
      nodeName: 'node2',
      nodeSelector: { zone: 'a' },
      containers: [
        {
          name: 'app',
          image: 'i',
          ports: [{ containerPort: 1, hostPort: 1 }],
          resources: { requests: { 'hugepages-2Mi': '2Mi', 'ephemeral-storage': '1Gi', memory: '9Gi', cpu: '5' } },
        },
      ],
    });
    const on = node({ pods: '1' }, { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
    expect(reasons(made, on, other)).toEqual([
      'OutOfpods',
      'OutOfcpu',
      'OutOfmemory',
      'OutOfephemeral-storage',
      'OutOfhugepages-2Mi',
      'NodeAffinity',
      'NodeName',
      'NodePorts',
      'TaintToleration',
    ]);
  });
});
