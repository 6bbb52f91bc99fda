import type { Pod } from '@rxlet/kube-api';
import { isCriticalPod, podUid } from '@rxlet/pod-model';
import { type Amounts, requestsOf } from '../workload/amounts.ts';
import { type HealthKind, healthKindOf } from '../workload/health.ts';
import { DEVICE_RESOURCE } from '../workload/part-steps.ts';
import { alwaysCrashes } from '../workload/pod-kinds.ts';
import { endlessContainers, restartAllCodes } from '../workload/restart-rules.ts';

/** The facts of a run, in order. Properties are checked on this record alone. */
export type History = readonly HistoryEvent[];

/** A fact with its virtual time, in milliseconds since the start of the run. In a world of several nodes, `node` is the one that it concerns; without it, a fact concerns all. */
export type HistoryEvent = { readonly atMs: number; readonly node?: string } & HistoryFact;

/** A fact without its time. */
export type HistoryFact =
  /** A step of the plan. `isFault` is whether it may delay what agents do. */
  | { readonly kind: 'step'; readonly text: string; readonly isFault?: boolean }
  | { readonly kind: 'agent'; readonly change: 'started' | 'stopped' | 'killed' | 'start failed' }
  /** The agent has stopped or was killed, and the API does not show that the pod has ended. */
  | { readonly kind: 'unreported'; readonly uid: string }
  /** A file of the agent was damaged while no agent ran. */
  | { readonly kind: 'damaged'; readonly path: string; readonly how: string }
  /** An operator has ended all pods, and deleted a file of the agent that the agent does not start with. */
  | { readonly kind: 'deleted'; readonly path: string }
  /** A source has the pod from now on, or a changed version with the same UID. */
  | { readonly kind: 'desired'; readonly pod: PodFacts }
  /** No source has the pod any more, or it is being deleted. `graceSeconds` is that of the request; `undefined` for that of the spec. */
  | { readonly kind: 'undesired'; readonly uid: string; readonly graceSeconds: number | undefined }
  /** The containers of a pod may be replaced. */
  | { readonly kind: 'replaced'; readonly uid: string }
  /** The runtime has forgotten an instance of a container, and with it perhaps the count of its instances. */
  | { readonly kind: 'lost'; readonly uid: string; readonly container: string }
  | {
      readonly kind: 'container';
      readonly change: 'created' | 'started' | 'exited' | 'removed';
      readonly container: ContainerFacts;
    }
  | {
      readonly kind: 'sandbox';
      readonly change: 'ready' | 'not ready' | 'removed';
      readonly id: string;
      readonly uid: string;
    }
  /** The agent calls an RPC that changes something. */
  | ({ readonly kind: 'call' } & CallFacts)
  /** The agent decides to end a pod for the sake of the node, or because no source has it. */
  | {
      readonly kind: 'terminate';
      readonly uid: string;
      readonly reason: 'evicted' | 'pre-empted' | 'shutdown' | 'orphaned';
    }
  /** A call has ended. */
  | { readonly kind: 'answer'; readonly call: CallFacts; readonly error?: string }
  /** The agent has published a status of a pod. */
  | { readonly kind: 'status'; readonly status: StatusFacts }
  /** The agent has recorded the resources that it allocates to pods, by UID. */
  | { readonly kind: 'allocated'; readonly pods: Readonly<Record<string, Amounts>>; readonly capacity: Amounts }
  /** A container is about to start with devices of a plugin. */
  | {
      readonly kind: 'devices';
      readonly uid: string;
      readonly container: string;
      readonly devices: readonly string[];
    }
  /** The agent has recorded the CPUs that containers have for themselves. `running` are the containers that ran just before. Both by key of the container. */
  | {
      readonly kind: 'cpus';
      readonly assigned: Readonly<Record<string, readonly number[]>>;
      readonly running: readonly string[];
    }
  /** The agent has recorded the memory of NUMA nodes that containers have for themselves, by key of the container. `available` is what pods can have of each NUMA node, and `running` are the containers that ran just before. */
  | {
      readonly kind: 'memory';
      readonly assigned: Readonly<Record<string, MemoryFacts>>;
      readonly available: readonly number[];
      readonly running: readonly string[];
    }
  /** A claim is reserved for a pod, or no longer because the API shows that the pod has ended: its device may go to another one. */
  | {
      readonly kind: 'claim-user';
      readonly change: 'reserved' | 'released';
      readonly claim: string;
      readonly uid: string;
    }
  /** The DRA driver has prepared or unprepared a claim, or is called again for one that is prepared. All facts name claims by their UID. */
  | {
      readonly kind: 'claim';
      readonly change: 'prepared' | 'confirmed' | 'unprepared';
      readonly claim: string;
      readonly device: string;
    }
  /** A container is about to start with the devices of claims. */
  | {
      readonly kind: 'claims-given';
      readonly uid: string;
      readonly container: string;
      readonly claims: readonly string[];
    }
  /** The agent begins to pull an image for a pod, or the pull has ended. */
  | {
      readonly kind: 'pull';
      readonly change: 'begun' | 'done' | 'failed';
      readonly uid: string;
      readonly image: string;
    }
  /** The machine runs short of what these conditions stand for, no longer of others. `reported` are those that the agent has set so far. */
  | { readonly kind: 'pressure'; readonly conditions: readonly string[]; readonly reported?: readonly string[] }
  /** The machine begins or cancels a shutdown, or goes off. */
  | { readonly kind: 'power'; readonly change: 'shutdown' | 'cancelled' | 'off' }
  /** The agent asks the API server to remove a pod that is being deleted. */
  | { readonly kind: 'confirmed'; readonly uid: string }
  /** An agent writes the status of a pod, or removes it. `pod` is the UID that the pod of this name has, and `boundTo` its node; `precondition` is the UID that the pod must have. */
  | {
      readonly kind: 'pod-write';
      readonly method: string;
      readonly pod: string;
      readonly boundTo: string;
      readonly precondition: string | undefined;
      /** Status code of the answer; `undefined` without an answer. */
      readonly code?: number;
    }
  /** All faults have ended but the permanent one; after that the world changes no more. */
  | { readonly kind: 'quiet' }
  /** The world has reached its desired state, and is left alone for a while. Pods that a permanent fault touches are retried. */
  | { readonly kind: 'rest'; readonly touched: ReadonlySet<string> }
  /** All pods have been removed from their sources. */
  | { readonly kind: 'emptied' };

/** A call of the runtime. */
export interface CallFacts {
  readonly rpc: string;
  /** Id of the container or sandbox, or the name of what is created. */
  readonly target: string;
  readonly uid: string;
  /** Grace period of a stop. */
  readonly timeoutSeconds?: number;
}

/** The part of a pod that properties need. */
export interface PodFacts {
  readonly uid: string;
  readonly name: string;
  readonly isStatic: boolean;
  /** Whether the status survives a restart of the agent: in the API, or in the checkpoint of a standalone agent. */
  readonly isStatusKept: boolean;
  /** Whether a container restarts after each exit. */
  readonly isEndless: boolean;
  readonly graceSeconds: number;
  readonly hasHooks: boolean;
  readonly priority: number;
  /** Whether the node ends the pod only when it shuts down. */
  readonly isCritical: boolean;
  /** Whether a container crashes again and again, so that the pod is never at rest. */
  readonly isCrashing: boolean;
  /** Image by name of the container. */
  readonly images: Readonly<Record<string, string>>;
  readonly initContainers: readonly string[];
  readonly ephemeralContainers: readonly string[];
  readonly requests: Amounts;
  /** Number of devices that it requests. */
  readonly devices: number;
  /** Number of claims by name of the container that uses them. */
  readonly claims: Readonly<Record<string, number>>;
  /** Kind of health by name of the container that has probes of it. */
  readonly health: Readonly<Record<string, HealthKind>>;
  /** Time for which it may be active. */
  readonly deadlineSeconds: number | undefined;
  /** Exit codes by name of the container upon which all containers of the pod must restart. */
  readonly restartAllCodes: Readonly<Record<string, readonly number[]>>;
}

/** Memory that a container has for itself. */
export interface MemoryFacts {
  readonly bytes: number;
  /** The NUMA nodes that it comes from, in ascending order. */
  readonly numaNodes: readonly number[];
}

/** An instance of a container. */
export interface ContainerFacts {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  readonly attempt: number;
  readonly image: string;
  readonly exitCode?: number;
  /** Time since its start, when that is noticed late, by the wall clock, in milliseconds. */
  readonly lateMs?: number;
  /** Time for which it ran, by the wall clock, in milliseconds: its exit is noticed later. */
  readonly ranMs?: number;
}

/** A published status. */
export interface StatusFacts {
  readonly uid: string;
  readonly phase: string;
  readonly reason?: string | undefined;
  readonly isReady: boolean;
  /** Reason why a resize waits. */
  readonly pendingResize?: string | undefined;
  /** By name of the container. */
  readonly restartCounts: Readonly<Record<string, number>>;
}

/** Records a {@link History}. */
export interface HistoryRecorder {
  readonly events: History;
  /** Returns the virtual time since the start of the run, in milliseconds. */
  nowMs(): number;
  add(fact: HistoryFact): void;
}

/** Records the history of a world. */
export interface WorldHistory extends HistoryRecorder {
  /** Returns the recorder of a node. Its events are those that concern the node. */
  of(node: string): HistoryRecorder;
}

/** Number of facts of a run that are recorded: far more than a run has that ends. */
const MAX_FACTS = 200_000;

/** Creates a recorder. Facts of a world with one node do not name it. */
export function createHistory(clock: { monotonicNow(): number }, nodeNames: readonly string[] = []): WorldHistory {
  const events: HistoryEvent[] = [];
  const startMs = clock.monotonicNow();
  const push = (event: HistoryEvent): void => {
    if (events.length >= MAX_FACTS) throw new Error(`more than ${String(MAX_FACTS)} facts happened in a run`);
    events.push(event);
  };
  const now = (): number => clock.monotonicNow() - startMs;
  if (nodeNames.length < 2) {
    const recorder = { events, nowMs: now, add: (fact: HistoryFact): void => push({ atMs: now(), ...fact }) };
    return { ...recorder, of: () => recorder };
  }
  const eventsOf = new Map(nodeNames.map((node): [string, HistoryEvent[]] => [node, []]));
  return {
    events,
    nowMs: now,
    add(fact) {
      const event = { atMs: now(), ...fact };
      push(event);
      for (const own of eventsOf.values()) own.push(event);
    },
    of(node) {
      const own = eventsOf.get(node);
      if (own === undefined) throw new Error(`the world has no node ${node}`);
      return {
        events: own,
        nowMs: now,
        add(fact) {
          const event = { atMs: now(), node, ...fact };
          push(event);
          own.push(event);
        },
      };
    },
  };
}

/** Returns the histories of the nodes of a world, by name. That of an only node has no name. */
export function historiesOfNodes(history: History): ReadonlyMap<string, History> {
  const names = new Set(history.flatMap(({ node }) => node ?? []));
  if (names.size === 0) return new Map([['', history]]);
  return new Map([...names].map((name) => [name, history.filter(({ node }) => node === undefined || node === name)]));
}

/** Returns the facts of a pod. */
export function podFacts(pod: Pod, { isStatic, isStatusKept }: Pick<PodFacts, 'isStatic' | 'isStatusKept'>): PodFacts {
  const {
    terminationGracePeriodSeconds = 30,
    containers = [],
    initContainers = [],
    ephemeralContainers = [],
    activeDeadlineSeconds: deadlineSeconds,
  } = pod.spec ?? {};
  return {
    uid: podUid(pod),
    name: pod.metadata?.name ?? '',
    isStatic,
    isStatusKept,
    isEndless: endlessContainers(pod).length > 0,
    graceSeconds: terminationGracePeriodSeconds,
    isCrashing: containers.some(alwaysCrashes),
    priority: pod.spec?.priority ?? 0,
    isCritical: isCriticalPod(pod),
    hasHooks: containers.some(({ lifecycle }) => lifecycle !== undefined),
    images: Object.fromEntries(
      [...initContainers, ...containers, ...ephemeralContainers].map(({ name, image = '' }) => [name, image]),
    ),
    initContainers: initContainers.map(({ name }) => name),
    ephemeralContainers: ephemeralContainers.map(({ name }) => name),
    requests: requestsOf(pod),
    devices: containers.reduce((sum, { resources }) => sum + Number(resources?.requests?.[DEVICE_RESOURCE] ?? 0), 0),
    claims: Object.fromEntries(containers.map(({ name, resources }) => [name, resources?.claims?.length ?? 0])),
    deadlineSeconds,
    restartAllCodes: Object.fromEntries(containers.map((one) => [one.name, restartAllCodes(one)])),
    health: Object.fromEntries(
      containers.flatMap((container) => {
        const kind = healthKindOf(container);
        return kind === undefined ? [] : [[container.name, kind]];
      }),
    ),
  };
}

/** Returns the key of a container in its pod. */
export const containerKey = ({ uid, name }: Pick<ContainerFacts, 'uid' | 'name'>): string => `${uid}/${name}`;
