import type { AgentCore, DebugSection } from '@rxlet/agent-api';
import { type Clock, toRfc3339 } from '@rxlet/component-base';
import type { EventLog } from '@rxlet/component-base/events';
import type { Pod } from '@rxlet/kube-api';
import type { Pleg } from '@rxlet/pleg';
import type { PodConfig } from '@rxlet/pod-config';
import { podContainers, podUid } from '@rxlet/pod-model';
import {
  couldHaveRunningContainers,
  shouldBeFinished,
  isKnownTerminated,
  killPodNow,
  type PodStates,
  shouldContentBeRemoved,
  shouldRuntimeBeRemoved,
} from '@rxlet/pod-workers';
import type { StatusManager } from '@rxlet/status-manager';
import { mayRun } from '../housekeeping/may-run.ts';
import type { PodView } from '../outputs/pod-view.ts';
import type { ActivePods } from '../sync-loop/active-pods.ts';
import type { PodAdmissions } from '../sync-loop/pod-admissions.ts';
import type { RestartRequests } from '../pod-syncer/restart-requests.ts';
import type { CoreCommands } from './core-commands.ts';

/** Parts that {@link createAgentCore} reads, and its two commands. */
export interface AgentCorePorts {
  readonly clock: Clock;
  readonly pods: Pick<PodView, 'list' | 'all' | 'get' | 'changes$'>;
  readonly events: Pick<EventLog, 'list' | 'events$' | 'event'>;
  readonly podIps: AgentCore['podIps'];
  readonly config: Pick<PodConfig, 'pods' | 'sourcesReady' | 'problems'>;
  readonly pleg: Pick<Pleg, 'pods' | 'find' | 'cache' | 'requestRelist'>;
  readonly podStates: Pick<PodStates, 'state' | 'podsSynced'>;
  readonly activePods: Pick<ActivePods, 'sum'>;
  readonly admissions: Pick<PodAdmissions, 'awaitsAdmission'>;
  readonly statusManager: Pick<StatusManager, 'get' | 'isPublished'>;
  readonly restarts: Pick<RestartRequests, 'request'>;
  /** Requests a sync of a pod. */
  requestSync(podUid: string): void;
  /** Returns the pod with the resources that the node has allocated to it. */
  readonly allocated: (pod: Pod) => Pod;
  readonly debugSections: readonly DebugSection[];
  readonly commands: Pick<CoreCommands, 'terminate' | 'collectGarbage'>;
}

/** Creates the core as modules see it. */
export function createAgentCore(ports: AgentCorePorts): AgentCore {
  const { clock, pods, events, podIps, config, pleg, podStates, admissions, statusManager, commands } = ports;
  const { awaitsAdmission } = admissions;
  return {
    pods,
    events,
    podIps,
    sourcesReady: () => config.sourcesReady(),
    sourceProblems: config.problems,
    knownPods: () => pods.all(),
    activePods: () => config.pods().filter(isActive).map(ports.allocated),
    sumOfActivePods: ports.activePods.sum,
    podStatus: (uid) => statusManager.get(uid),
    isStatusPublished: (uid) => statusManager.isPublished(uid),
    runtimePods: () => pleg.pods(),
    runtimePod: (uid) => pleg.find(uid),
    runtimeStatus: (uid) => pleg.cache.get(uid),
    killPod: (pod, request, signal) => killPodNow({ workers: commands, clock, events }, pod, request, signal),
    restartContainers(pod, container) {
      const uid = podUid(pod);
      if (podStates.state(uid)?.kind !== 'syncing') return [];
      const ofPod = new Set(podContainers(pod, ['init', 'regular']).map((one) => one.container.name));
      const instances = pleg.cache
        .get(uid)
        .containers.filter(({ name }) => (container === undefined ? ofPod.has(name) : name === container))
        .map(({ id, name }) => ({ id: id.id, name }));
      ports.restarts.request(uid, instances);
      ports.requestSync(uid);
      return [...new Set(instances.map(({ name }) => name))];
    },
    mayRunContainers: (uid) =>
      awaitsAdmission(uid) ||
      couldHaveRunningContainers(podStates.state(uid), podStates.podsSynced()) ||
      // A pod of an earlier run of the agent that no source has any more, or that was rejected, runs until housekeeping ends it.
      (podStates.state(uid) === undefined && mayRun(pleg.find(uid))),
    isFinished: (uid) => shouldBeFinished(podStates.state(uid), podStates.podsSynced()),
    async collectContainerGarbage(signal, { includeTerminatedPods = false } = {}) {
      const { containers } = await commands.collectGarbage({
        signal,
        allSourcesReady: config.sourcesReady(),
        shouldContentBeRemoved: isGone,
        evictNonDeletedPods: includeTerminatedPods,
        // After a restart of the agent, an unpublished status is generated from the containers.
        shouldRuntimeBeRemoved: (uid) => hasTerminated(uid) && statusManager.isPublished(uid),
      });
      // A static pod that comes back under its UID must not continue from containers that are gone.
      const removed = new Set(containers);
      for (const pod of pleg.pods())
        if (isGone(pod.uid) && pod.containers.some(({ id }) => removed.has(id.id))) pleg.requestRelist(pod.uid);
    },
    debugState: () => ({
      time: toRfc3339(clock.now()),
      ...Object.fromEntries(ports.debugSections.map((section) => [section.name, section.inspect()])),
    }),
  };

  function isActive(pod: Pod): boolean {
    const state = podStates.state(podUid(pod));
    return state !== undefined && !isKnownTerminated(state);
  }

  function hasTerminated(uid: string): boolean {
    return !awaitsAdmission(uid) && shouldRuntimeBeRemoved(podStates.state(uid), podStates.podsSynced());
  }

  function isGone(uid: string): boolean {
    return !awaitsAdmission(uid) && shouldContentBeRemoved(podStates.state(uid), podStates.podsSynced());
  }
}
