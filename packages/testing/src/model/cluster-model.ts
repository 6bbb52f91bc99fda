import { ContainerState, PodSandboxState } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { offlineCache } from '@rxlet/offline-cache';
import { isMirrorPod, isTerminalPhase, PodAnnotation, PodLabel, podUid } from '@rxlet/pod-model';
import { createTestCluster } from '../test-cluster.ts';
import { type AgentModel, type AgentModelOptions, plegParts, QUIESCENCE_MS } from './agent-model.ts';
import { endServerFaults, FINALIZER, runApiStep, runServerStep, writeObject } from './api-steps.ts';
import { clusterDifferences, contentDifferences, mirrorDifferences } from './cluster-differences.ts';
import type { ClusterStep } from './cluster-step.ts';
import { leftovers } from './leftovers.ts';
import { modelPod } from './model-pods.ts';
import { runRuntimeStep } from './runtime-step.ts';
import { watchRuntime } from './watch-runtime.ts';

/** Options of a cluster model. */
export interface ClusterModelOptions extends AgentModelOptions {
  /** Duration of each request to the API server. */
  readonly apiLatencyMs: number;
  /** Whether watches begin with the objects. Without it, lists come from a cache that can be stale. */
  readonly hasStreamingLists: boolean;
  /** Whether the agent keeps the last known objects for a start without the API server. */
  readonly hasOfflineCache?: boolean;
}

const { pods } = resources;

/** Creates a model of an agent as a node of a cluster, and starts the agent. */
export async function createClusterModel(options: ClusterModelOptions, seed: number): Promise<AgentModel<ClusterStep>> {
  const { latencyMs, apiLatencyMs, hasStreamingLists, hasOfflineCache } = options;
  const cluster = createTestCluster({ latencyMs, seed, kube: { latencyMs: apiLatencyMs, hasStreamingLists } });
  const { node: bench, kube } = cluster;
  const { clock, fake } = bench;
  const statics = new Map<string, Pod>();
  /** Pods that must run, by name. */
  const desired = new Map<string, Pod>();
  const watch = watchRuntime(bench, desired);
  const violations: string[] = [];
  kube.objects.create(
    { group: '', plural: 'serviceaccounts' },
    { metadata: { name: 'default', namespace: 'default' } },
  );
  for (const kind of ['ConfigMap', 'Secret'] as const) writeObject(cluster, kind, 0);

  const apiPods = (): readonly Pod[] => kube.objects.list(pods) as unknown as readonly Pod[];
  /** Takes over what the API server and the static pods demand now. */
  const publish = (): void => {
    desired.clear();
    for (const pod of apiPods())
      if (!isMirrorPod(pod) && pod.metadata?.deletionTimestamp === undefined)
        desired.set(pod.metadata?.name ?? '', pod);
    for (const [name, pod] of statics) desired.set(name, pod);
    watch.desire([...desired.values()]);
  };
  /** Checks that a pod whose deletion the agent confirms does not run any more. */
  const checkDeletion = (uid: string): void => {
    const { containers, sandboxes } = fake.snapshot();
    const isOfPod = ({ labels }: { labels: Record<string, string> }): boolean => labels[PodLabel.podUid] === uid;
    if (containers.some((one) => isOfPod(one) && one.state === ContainerState.CONTAINER_RUNNING))
      violations.push(`${uid} is deleted in the API while a container runs`);
    if (sandboxes.some((one) => isOfPod(one) && one.state === PodSandboxState.SANDBOX_READY))
      violations.push(`${uid} is deleted in the API while a sandbox is ready`);
  };
  const { handle } = kube;
  kube.handle = (request) => {
    const [, name] = /\/pods\/([^/?]+)$/.exec(request.path) ?? [];
    const pod = request.method === 'DELETE' && name !== undefined ? cluster.pod(name) : undefined;
    if (pod !== undefined && !isMirrorPod(pod)) checkDeletion(podUid(pod));
    return handle(request);
  };

  const start = (): Promise<unknown> =>
    cluster.start({ parts: plegParts(options), ...(hasOfflineCache === true && { connect: offlineCache }) });
  const check = (): void => {
    watch.check();
    if (violations.length > 0) throw new Error(violations.join('\n'));
  };
  const expectConvergence = async (): Promise<void> => {
    await clock.advance(QUIESCENCE_MS);
    check();
    const all = apiPods().filter((pod) => !isMirrorPod(pod));
    const ending = all.filter(({ metadata }) => metadata?.deletionTimestamp !== undefined);
    const staying = all.filter((pod) => !ending.includes(pod));
    const held = ending.filter(({ metadata }) => metadata?.finalizers?.includes(FINALIZER));
    const uids = new Set([...statics.values(), ...staying].map(podUid));
    const shown = new Set(bench.agent().pods.list().map(podUid));
    const problems = [
      ...staying.flatMap((pod) => clusterDifferences(cluster, pod, watch)),
      ...staying
        .filter(({ status }) => !isTerminalPhase(status?.phase))
        .flatMap((pod) => contentDifferences(cluster, pod)),
      ...mirrorDifferences(cluster, [...statics.values()], apiPods()),
      ...[...statics.values()].flatMap((pod) => clusterDifferences(cluster, { ...pod, ...statusOf(pod) }, watch)),
      ...ending
        .filter((pod) => !held.includes(pod) || !isTerminalPhase(pod.status?.phase))
        .map((pod) => `${pod.metadata?.name ?? ''} ${podUid(pod)} is left in the API: ${JSON.stringify(pod.status)}`),
      ...(await leftovers(bench, uids)),
      ...[...shown]
        .filter((uid) => !uids.has(uid) && !held.some((pod) => podUid(pod) === uid))
        .map((uid) => `the agent shows ${uid}`),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  };
  const statusOf = (pod: Pod): Pick<Pod, 'status'> => {
    const status = bench.agent().pods.get(podUid(pod))?.status;
    return status === undefined ? {} : { status };
  };
  const settle = async (): Promise<void> => {
    fake.clearFailpoints();
    fake.setEventFaults({});
    endServerFaults(cluster);
    for (const kind of ['ConfigMap', 'Secret'] as const) writeObject(cluster, kind, 99);
    await expectConvergence();
  };

  bench.desire();
  await start();
  return {
    bench,
    settle,
    async step(step) {
      switch (step.do) {
        case 'set': {
          const pod = modelPod(step.name, step.kind, step.version);
          const metadata = { ...pod.metadata, annotations: { [PodAnnotation.configHash]: podUid(pod) } };
          statics.set(step.name, { ...pod, metadata, spec: { ...pod.spec!, nodeName: 'node1' } });
          bench.desire(...statics.values());
          break;
        }
        case 'unset':
          statics.delete(step.name);
          bench.desire(...statics.values());
          break;
        case 'create':
        case 'delete':
        case 'hold':
        case 'label':
        case 'image':
        case 'overwrite':
        case 'object':
          if (step.do === 'image') watch.changed(podUid(cluster.pod(step.name) ?? {}));
          runApiStep(step, cluster);
          break;
        case 'api-fault':
        case 'watches':
        case 'stale':
        case 'api-outage':
        case 'node-gone':
          await runServerStep(step, cluster);
          break;
        default:
          await runRuntimeStep(step, { bench, desired, watch, restart: start });
      }
      publish();
      check();
    },
    async empty() {
      statics.clear();
      bench.desire();
      for (const { metadata } of apiPods()) {
        const { name = '', namespace = 'default' } = metadata ?? {};
        if (metadata?.finalizers !== undefined) runApiStep({ do: 'hold', name, isHeld: false }, cluster);
        if (cluster.pod(name) !== undefined) kube.objects.delete(pods, name, namespace);
      }
      publish();
      await expectConvergence();
      if (apiPods().length > 0) throw new Error('pods are left in the API');
    },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      if (clock.pendingTimers > 0) throw new Error(`${String(clock.pendingTimers)} timers are left`);
      const watches = kube.cutWatches();
      if (watches > 0) throw new Error(`${String(watches)} watches are left`);
    },
  };
}
