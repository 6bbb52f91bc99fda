import { describe, expect, it } from 'vitest';
import { oomScoreAdj, podQosClass } from './qos.ts';
import { testContainer, testPod } from './testing.ts';

const GiB = 2 ** 30;
const both = { cpu: '1', memory: '1Gi' };
const guaranteed = { resources: { requests: both, limits: both } };

describe('podQosClass', () => {
  it('is that of the status', () => {
    expect(podQosClass(testPod({ containers: [guaranteed], status: { qosClass: 'Burstable' } }))).toBe('Burstable');
  });

  it('is Guaranteed when the limits of every container equal its requests', () => {
    expect(podQosClass(testPod({ containers: [guaranteed, guaranteed] }))).toBe('Guaranteed');
    expect(podQosClass(testPod({ containers: [guaranteed], initContainers: [{ name: 'i' }] }))).toBe('Burstable');
    const lower = { resources: { requests: { ...both, cpu: '500m' }, limits: both } };
    expect(podQosClass(testPod({ containers: [lower] }))).toBe('Burstable');
    expect(podQosClass(testPod({ containers: [{ resources: { limits: both } }] }))).toBe('Burstable');
  });

  it('is BestEffort without requests and limits', () => {
    expect(podQosClass(testPod())).toBe('BestEffort');
    const other = { resources: { requests: { cpu: '0', 'example.com/gpu': '1' } } };
    expect(podQosClass(testPod({ containers: [other] }))).toBe('BestEffort');
  });

  it('depends on pod-level resources where they are set', () => {
    const spec = { resources: { requests: both, limits: both } };
    expect(podQosClass(testPod({ spec }))).toBe('Guaranteed');
    expect(podQosClass(testPod({ containers: [guaranteed], spec: { resources: { requests: both } } }))).toBe(
      'Burstable',
    );
    expect(podQosClass(testPod({ containers: [guaranteed], spec: { resources: {} } }))).toBe('BestEffort');
  });
});

describe('oomScoreAdj', () => {
  const requesting = (name: string, memory: string, more: object = {}) =>
    testContainer({ name, resources: { requests: { memory } }, ...more });

  it('protects node-critical and Guaranteed pods', () => {
    const system = testPod({ spec: { priority: 2_000_001_000, priorityClassName: 'system-node-critical' } });
    expect(oomScoreAdj(system, testContainer(), GiB)).toBe(-997);
    expect(oomScoreAdj(testPod({ containers: [guaranteed] }), testContainer(guaranteed), GiB)).toBe(-997);
  });

  it('is highest for BestEffort pods', () => {
    expect(oomScoreAdj(testPod(), testContainer(), GiB)).toBe(1000);
  });

  it('depends on the share of requested memory, strictly in between', () => {
    const score = (memory: string, capacity: number | bigint): number =>
      oomScoreAdj(testPod({ containers: [requesting('app', memory)] }), requesting('app', memory), capacity);
    expect(score('256Mi', GiB)).toBe(750);
    expect(score('256Mi', BigInt(GiB))).toBe(750);
    expect(score('1', GiB)).toBe(999);
    expect(score('2Gi', GiB)).toBe(3);
  });

  it('scores a sidecar no higher than the container that requests least', () => {
    const sidecar = requesting('proxy', '1Mi', { restartPolicy: 'Always' });
    const containers = [requesting('a', '512Mi'), requesting('b', '256Mi')];
    const pod = testPod({ containers, initContainers: [sidecar] });
    expect(oomScoreAdj(pod, sidecar, GiB)).toBe(750);
    const large = requesting('proxy', '768Mi', { restartPolicy: 'Always' });
    expect(oomScoreAdj(testPod({ containers, initContainers: [large] }), large, GiB)).toBe(250);
  });

  it('divides the unassigned pod-level request among the containers', () => {
    const containers = [requesting('a', '256Mi'), testContainer({ name: 'b' })];
    const pod = testPod({ containers, spec: { resources: { requests: { memory: '512Mi' } } } });
    expect(containers.map((container) => oomScoreAdj(pod, container, GiB))).toEqual([625, 875]);
  });
});
