import { createPleg } from '@rxlet/pleg';
import type { AgentParts } from '@rxlet/agent';
import type { AgentModule } from '@rxlet/agent-api';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { ContainerState } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createFakeLogind, type FakeLogind } from '@rxlet/node-shutdown/testing';
import { createTestMachine } from '@rxlet/machine/testing';
import { offlineCache } from '@rxlet/offline-cache';
import { isMirrorPod, PodLabel, podUid } from '@rxlet/pod-model';
import { type AgentLife, createTestCluster, createTestNode, type TestCluster, type TestNode } from '@rxlet/testing';
import { createHostFaults, type HostFaults } from '../faults/host-faults.ts';
import { createPageCache, type PageCache } from '../faults/page-cache.ts';
import { lastingFaultModule, startLastingFault } from '../faults/apply-lasting-fault.ts';
import { touchedPod } from '../faults/lasting-faults.ts';
import { createThrowingParts, type ThrowingParts } from '../faults/throwing-parts.ts';
import { createHistory, type HistoryRecorder, type PodFacts, podFacts } from '../history/history.ts';
import { recordRuntime, type RuntimeRecorder } from '../history/record-runtime.ts';
import { statusRecorder } from '../history/record-statuses.ts';
import { recordTerminations } from '../history/record-terminations.ts';
import { PART_KINDS } from '../parts/part-kinds.ts';
import { MACHINE } from '../parts/resize-part.ts';
import type { PartContext, WorldPart } from '../parts/world-part.ts';
import type { Plan } from '../workload/plan.ts';
import type { Assembly } from './assembly.ts';
import { writeObject } from './run-api-step.ts';

/** A node with an agent, and all that a plan can change. */
export interface World extends AsyncDisposable {
  readonly plan: Plan;
  readonly node: TestNode;
  /** The API server, in the workload `cluster`. */
  readonly cluster: TestCluster | undefined;
  readonly history: HistoryRecorder;
  readonly runtime: RuntimeRecorder;
  readonly throwing: ThrowingParts;
  readonly host: HostFaults;
  readonly pageCache: PageCache;
  /** The login manager of the machine, which announces shutdowns. */
  readonly logind: FakeLogind;
  /** Enabled parts beside pods, programs and faults. */
  readonly parts: readonly WorldPart[];
  /** Static pods by name. */
  readonly statics: Map<string, Pod>;
  /** Pods that must run, by name. */
  readonly desired: ReadonlyMap<string, Pod>;
  /** Containers of which the runtime has forgotten an instance, as `uid/name`. */
  readonly lost: Set<string>;
  /** Starts an agent. */
  start(killAtCall?: number): Promise<void>;
  /** Takes over what the API server and the static pods demand now. */
  publish(graceSeconds?: number): void;
  /** Returns the pods of the API server. */
  apiPods(): readonly Pod[];
  /** Whether a permanent fault touches the pod. */
  isTouched(pod: Pod): boolean;
}

const { pods } = resources;

/** Creates the world of a plan. No agent runs yet. */
export function createWorld(plan: Plan, assembly: Assembly = {}): World {
  const { workload, latencyMs, apiLatencyMs, hasStreamingLists, hasEvents, hasOfflineCache } = plan.world;
  const machine = workload === 'extended' ? createTestMachine({ facts: MACHINE }) : undefined;
  // Nothing in this world does real I/O.
  const clock = createVirtualClock({ turnsEventLoop: false });
  const options = { latencyMs, seed: plan.seed, machine, clock };
  const cluster =
    workload !== 'standard'
      ? createTestCluster({ ...options, kube: { latencyMs: apiLatencyMs, hasStreamingLists } })
      : undefined;
  const node = cluster?.node ?? createTestNode(options);
  const history = createHistory(node.clock);
  const runtime = recordRuntime(node, history);
  const logind = createFakeLogind(node.clock);
  const parts = createParts(plan, cluster, { history, logind, latencyMs });
  const statics = new Map<string, Pod>();
  const desired = new Map<string, Pod>();
  const host = createHostFaults(node);
  const pageCache = createPageCache(node);
  /** UIDs of pods that have been removed. */
  const removed = new Set<string>();
  /** A pod that does not run is rejected for good by an admission handler that throws, and so is one that comes back while it terminates. */
  const mayThrowInAdmission = (uid: string): boolean =>
    !removed.has(uid) &&
    node.fake
      .snapshot()
      .containers.some(
        ({ labels, state }) => labels[PodLabel.podUid] === uid && state === ContainerState.CONTAINER_RUNNING,
      );
  let current: AgentLife | undefined;
  const recording = recordTerminations({ ...plegParts(hasEvents), ...assembly.parts }, history, () => current);
  const throwing = createThrowingParts(recording, mayThrowInAdmission);
  if (cluster !== undefined) prepareCluster(cluster, history, runtime);
  startLastingFault(plan.lasting, node, cluster);
  assembly.prepare?.(node, cluster);
  node.desire();

  const apiPods = (): readonly Pod[] => (cluster?.kube.objects.list(pods) ?? []) as unknown as readonly Pod[];
  const originOf = (name: string): Pick<PodFacts, 'isStatic' | 'isStatusKept'> => {
    const isStatic = statics.has(name);
    return { isStatic, isStatusKept: !isStatic || cluster === undefined };
  };
  const modules = (life: AgentLife): readonly AgentModule[] => {
    current = life;
    const own = assembly.modules?.(life, node, { logind }) ?? [];
    return [
      throwing.module,
      statusRecorder(history, life),
      lastingFaultModule(plan.lasting),
      ...parts
        .flatMap((part) => part.modules?.(life) ?? [])
        .filter(({ name }) => !own.some((one) => one.name === name))
        .map((module) => assembly.wrapModule?.(module) ?? module),
      ...own,
    ];
  };

  return {
    plan,
    node,
    cluster,
    history,
    runtime,
    throwing,
    host,
    pageCache,
    logind,
    parts,
    statics,
    desired,
    lost: new Set(),
    apiPods,
    isTouched: ({ metadata }) => {
      const touched = touchedPod(plan.lasting);
      if (touched !== undefined) return metadata?.name === touched;
      return plan.lasting?.kind === 'unreachable-api' && !statics.has(metadata?.name ?? '');
    },
    async start(killAtCall) {
      const start = { modules, parts: throwing.parts, without: assembly.without ?? [], killAtCall };
      if (cluster === undefined) await node.start(start);
      else await cluster.start({ ...start, ...(hasOfflineCache && { connect: offlineCache }) });
      history.add({ kind: 'agent', change: 'started' });
    },
    publish(graceSeconds) {
      runtime.look();
      const before = new Map(desired);
      desired.clear();
      for (const pod of apiPods())
        if (!isMirrorPod(pod) && pod.metadata?.deletionTimestamp === undefined)
          desired.set(pod.metadata?.name ?? '', pod);
      for (const [name, pod] of statics) desired.set(name, pod);
      const uids = new Set([...desired.values()].map(podUid));
      for (const pod of before.values()) {
        if (uids.has(podUid(pod))) continue;
        removed.add(podUid(pod));
        history.add({ kind: 'undesired', uid: podUid(pod), graceSeconds });
      }
      const known = new Map([...before.values()].map((pod) => [podUid(pod), pod]));
      for (const [name, pod] of desired)
        if (known.get(podUid(pod))?.spec !== pod.spec)
          history.add({ kind: 'desired', pod: podFacts(pod, originOf(name)) });
    },
    async [Symbol.asyncDispose]() {
      await (cluster ?? node)[Symbol.asyncDispose]();
    },
  };
}

/** Returns parts of an agent that polls its runtime, if it gets no events. */
function plegParts(hasEvents: boolean): Partial<AgentParts> {
  return hasEvents ? {} : { createPleg: (ports, options) => createPleg({ ...ports, hints: undefined }, options) };
}

function createParts(
  { parts = [] }: Plan,
  cluster: TestCluster | undefined,
  context: Omit<PartContext, 'cluster'>,
): readonly WorldPart[] {
  return parts.map((name) => {
    const kind = PART_KINDS.find((one) => one.name === name);
    if (kind === undefined || cluster === undefined) throw new Error(`the world cannot have the part ${name}`);
    return kind.create({ cluster, ...context });
  });
}

/** Creates the objects of the cluster, and records the deletions that the agent confirms. */
function prepareCluster(cluster: TestCluster, history: HistoryRecorder, runtime: RuntimeRecorder): void {
  const { kube } = cluster;
  kube.objects.create(
    { group: '', plural: 'serviceaccounts' },
    { metadata: { name: 'default', namespace: 'default' } },
  );
  for (const kind of ['ConfigMap', 'Secret'] as const) writeObject(cluster, kind, 0);
  const { handle } = kube;
  kube.handle = (request) => {
    const [, name] = request.method === 'DELETE' ? (/\/pods\/([^/?]+)$/.exec(request.path) ?? []) : [];
    const pod = name === undefined ? undefined : cluster.pod(name);
    if (pod !== undefined && !isMirrorPod(pod)) {
      runtime.look();
      history.add({ kind: 'confirmed', uid: podUid(pod) });
    }
    return handle(request);
  };
}
