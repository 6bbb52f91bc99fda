import { createPleg } from '@rxlet/pleg';
import type { AgentParts } from '@rxlet/agent';
import type { AgentModule } from '@rxlet/agent-api';
import { ContainerState } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createFakeLogind, type FakeLogind } from '@rxlet/node-shutdown/testing';
import { offlineCache } from '@rxlet/offline-cache';
import { isMirrorPod, PodLabel, podUid } from '@rxlet/pod-model';
import type { AgentLife, TestCluster, TestNode } from '@rxlet/testing';
import { createHostFaults, type HostFaults } from '../faults/host-faults.ts';
import { createPageCache, type PageCache } from '../faults/page-cache.ts';
import { lastingFaultModule, startLastingFault } from '../faults/apply-lasting-fault.ts';
import { describeLastingFault, type LastingFault, touchedPod } from '../faults/lasting-faults.ts';
import { createThrowingParts, type ThrowingParts } from '../faults/throwing-parts.ts';
import { type HistoryRecorder, type PodFacts, podFacts } from '../history/history.ts';
import { recordRuntime, type RuntimeRecorder } from '../history/record-runtime.ts';
import { statusRecorder } from '../history/record-statuses.ts';
import { recordTerminations } from '../history/record-terminations.ts';
import { PART_KINDS } from '../parts/part-kinds.ts';
import { createPluginSockets } from '../parts/plugin-sockets.ts';
import type { PartContext, WorldPart } from '../parts/world-part.ts';
import type { Plan } from '../workload/plan.ts';
import type { Assembly } from './assembly.ts';

/** A node of a world with its agent, and all of it that a plan can change. */
export interface SimulatedNode extends AsyncDisposable {
  readonly name: string;
  readonly plan: Plan;
  /** The permanent fault of the plan, if it concerns the node. */
  readonly lasting: LastingFault | undefined;
  readonly node: TestNode;
  /** The node as one of its cluster, unless its agent is standalone. */
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
  /** Returns the pods of the API server that are bound to the node. */
  apiPods(): readonly Pod[];
  /** Whether a permanent fault touches the pod. */
  isTouched(pod: Pod): boolean;
}

const { pods } = resources;

/** Parts of a world that {@link createSimulatedNode} needs. */
export interface SimulatedNodeParts {
  readonly node: TestNode;
  readonly cluster: TestCluster | undefined;
  readonly history: HistoryRecorder;
}

/** Creates a node of the world of a plan. No agent runs yet. */
export function createSimulatedNode(
  plan: Plan,
  assembly: Assembly,
  { node, cluster, history }: SimulatedNodeParts,
): SimulatedNode {
  const { latencyMs, hasEvents, hasOfflineCache } = plan.world;
  const lasting = plan.lastingNode === undefined || plan.lastingNode === node.name ? plan.lasting : undefined;
  const runtime = recordRuntime(node, history);
  const logind = createFakeLogind(node.clock);
  const plugins = createPluginSockets(node);
  const parts = createParts(plan, cluster, { history, runtime, logind, plugins, latencyMs });
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
  startLastingFault(lasting, node, cluster);
  if (lasting !== undefined)
    history.add({ kind: 'step', text: `permanent fault ${describeLastingFault(lasting)}`, isFault: true });
  node.desire();

  const apiPods = (): readonly Pod[] =>
    ((cluster?.kube.objects.list(pods) ?? []) as readonly Pod[]).filter(({ spec }) => spec?.nodeName === node.name);
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
      lastingFaultModule(lasting),
      ...[...plugins.modules(), ...parts.flatMap((part) => part.modules?.(life) ?? [])]
        .filter(({ name }) => !own.some((one) => one.name === name))
        .map((module) => assembly.wrapModule?.(module) ?? module),
      ...own,
    ];
  };

  return {
    name: node.name,
    plan,
    lasting,
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
      const touched = touchedPod(lasting);
      if (touched !== undefined) return metadata?.name === touched;
      return lasting?.kind === 'unreachable-api' && !statics.has(metadata?.name ?? '');
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
      for (const part of parts) part.podsChanged?.();
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
  context: Omit<PartContext, 'cluster' | 'enabled'>,
): readonly WorldPart[] {
  return parts.map((name) => {
    const kind = PART_KINDS.find((one) => one.name === name);
    if (kind === undefined || cluster === undefined) throw new Error(`the world cannot have the part ${name}`);
    return kind.create({ cluster, enabled: parts, ...context });
  });
}
