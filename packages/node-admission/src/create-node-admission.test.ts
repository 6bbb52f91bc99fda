import { type AdmissionDecision, type KillPodRequest, otherPods } from '@rxlet/agent-api';
import { createEventLog } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Node, Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { createNodeAdmission, type NodeAdmissionPorts } from './create-node-admission.ts';
import { critical, node, pod, requesting } from './test-support.ts';

function bench(cached: Node = node(), ports: Partial<NodeAdmissionPorts> = {}) {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const logger = recordingLogger();
  const kills: { readonly pod: Pod; readonly request: KillPodRequest }[] = [];
  const counted: string[] = [];
  const handler = createNodeAdmission({
    clock,
    events,
    logger,
    metrics: {
      ...noopMetrics,
      counter: ({ name }) => ({ inc: (labels) => void counted.push(`${name} ${labels?.['preemption_signal'] ?? ''}`) }),
    },
    node: { cached: () => cached, read: async () => cached },
    killPod: async (victim, request) => void kills.push({ pod: victim, request }),
    ...ports,
  });
  const judge = async (judged: Pod, ...others: readonly Pod[]): Promise<AdmissionDecision> =>
    handler.admit(judged, otherPods(others), new AbortController().signal);
  return { events, logger, kills, counted, judge };
}
/** Runs the preparation that a decision requests. */
async function prepare(decision: AdmissionDecision): Promise<number> {
  if (decision === undefined || !('prepare' in decision)) throw new Error('the decision is final');
  await decision.prepare(new AbortController().signal);
  return decision.timeoutMs;
}

describe('createNodeAdmission', () => {
  it('admits a pod that fits, and rejects another with the first failure', async () => {
    const { judge } = bench(node({ cpu: '1' }));
    expect(await judge(requesting('new', { cpu: '1' }))).toBeUndefined();
    expect(await judge(requesting('new', { cpu: '2' }, { nodeName: 'other' }))).toEqual({
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 2000, used: 0, capacity: 1000",
    });
  });

  it.each<[Partial<Pod>, string]>([
    [{ metadata: { labels: { 'kubernetes.io/os': 'windows' } } }, 'PodOSSelectorNodeLabelDoesNotMatch'],
    [{ spec: { containers: [], os: { name: 'windows' } } }, 'PodOSNotSupported'],
    [
      { spec: { containers: [], securityContext: { supplementalGroupsPolicy: 'Strict' } } },
      'SupplementalGroupsPolicyNotSupported',
    ],
  ])('rejects what the node can never run: %j', async (more, reason) => {
    expect(await bench().judge(pod('new', {}, more))).toMatchObject({ reason });
  });

  it('admits the strict policy of groups where the runtime has it', async () => {
    const status = { ...node().status, features: { supplementalGroupsPolicy: true } };
    const { judge } = bench({ ...node(), status });
    expect(await judge(pod('new', { securityContext: { supplementalGroupsPolicy: 'Strict' } }))).toBeUndefined();
  });

  it('reads the node anew when its labels alone do not match', async () => {
    let reads = 0;
    const fresh = node({}, { metadata: { name: 'node1', labels: { zone: 'a' } } });
    const read = async (): Promise<Node> => ((reads += 1), fresh);
    const { judge } = bench(node(), { node: { cached: () => node(), read } });
    expect(await judge(pod('new', { nodeSelector: { zone: 'a' } }))).toBeUndefined();
    expect(await judge(pod('new', { nodeSelector: { zone: 'b' } }))).toMatchObject({ reason: 'NodeAffinity' });
    expect(reads).toBe(2);
    expect(await judge(pod('new', { nodeSelector: { zone: 'a' }, nodeName: 'other' }))).toBeDefined();
    expect(reads).toBe(2);
  });

  it('rejects every pod while the node is unknown', async () => {
    const missing = { reason: 'InvalidNodeInfo', message: 'Kubelet cannot get node info.' };
    const fail = (): never => {
      throw new Error('no node');
    };
    expect(await bench(node(), { node: { cached: fail, read: fail } }).judge(pod('new'))).toEqual(missing);
    const { judge } = bench(node(), { node: { cached: () => node(), read: () => Promise.reject(new Error()) } });
    expect(await judge(pod('new', { nodeSelector: { zone: 'a' } }))).toEqual(missing);
  });

  it('rejects a pod whose plugin resources cannot be updated', async () => {
    const updatePluginResources = (): never => {
      throw new Error('no device');
    };
    expect(await bench(node(), { updatePluginResources }).judge(pod('new'))).toEqual({
      reason: 'UnexpectedAdmissionError',
      message: 'Update plugin resources failed due to no device, which is unexpected.',
    });
  });
});

describe('preemption', () => {
  it('kills others in favour of a critical pod before that is admitted', async () => {
    const { judge, kills, events, counted } = bench(node({ cpu: '2' }));
    const victim = requesting('victim', { cpu: '1' }, { terminationGracePeriodSeconds: 60 });
    const decision = await judge(critical('new', { cpu: '2' }), victim);
    expect(kills).toEqual([]);
    expect(await prepare(decision)).toBe(95_000);
    expect(kills.map((kill) => [kill.pod.metadata?.name, kill.request.reason])).toEqual([['victim', 'evicted']]);
    expect(events.list()).toMatchObject([
      { type: 'Warning', reason: 'Preempting', message: 'Preempted in order to admit critical pod' },
    ]);
    expect(counted).toEqual(['kubelet_preemptions cpu']);
    const amended = kills[0]?.request.amendStatus?.({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    expect(amended).toMatchObject({
      phase: 'Failed',
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
      conditions: [
        { type: 'Ready' },
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'TerminationByKubelet',
          message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
        },
      ],
    });
  });

  it('lets a victim whose containers have all exited with 0 succeed', async () => {
    const { judge, kills } = bench(node({ cpu: '2' }));
    await prepare(await judge(critical('new', { cpu: '2' }), requesting('victim', { cpu: '1' })));
    const exited = (name: string, exitCode: number) => ({
      ...{ name, image: '', imageID: '', ready: false, restartCount: 0 },
      state: { terminated: { exitCode } },
    });
    const ended = (...containerStatuses: ReturnType<typeof exited>[]) =>
      kills[0]?.request.amendStatus?.({ phase: 'Failed', reason: 'Preempting', containerStatuses });
    const succeeded = ended(exited('app', 0), exited('log', 0));
    expect(succeeded).toMatchObject({ phase: 'Succeeded', conditions: [{ type: 'DisruptionTarget', status: 'True' }] });
    expect(succeeded).not.toHaveProperty('reason');
    expect(ended(exited('app', 0), exited('log', 143))).toMatchObject({ phase: 'Failed', reason: 'Preempting' });
  });

  it('admits the critical pod also when a victim cannot be killed', async () => {
    const { judge, logger, counted } = bench(node({ cpu: '2' }), { killPod: () => Promise.reject(new Error('stuck')) });
    await prepare(await judge(critical('new', { cpu: '2' }), requesting('victim', { cpu: '1' })));
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'cannot preempt a pod' }]);
    expect(counted).toEqual([]);
  });

  it('is not tried for what it cannot help', async () => {
    const { judge } = bench(node({ cpu: '2' }));
    const judged = critical('new', { cpu: '2' });
    const elsewhere = { ...judged, spec: { ...judged.spec!, nodeName: 'other' } };
    expect(await judge(elsewhere, requesting('victim', { cpu: '1' }))).toMatchObject({ reason: 'NodeName' });
  });

  it('rejects the critical pod when no set of pods frees enough', async () => {
    const { judge } = bench(node({ cpu: '2' }));
    expect(await judge(critical('new', { cpu: '3' }), requesting('a', { cpu: '1' }))).toEqual({
      reason: 'UnexpectedAdmissionError',
      message:
        'Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]',
    });
  });
});
