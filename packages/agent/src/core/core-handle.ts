import { type AgentCore, debugSections, type PodList } from '@rxlet/agent-api';
import type { EventList } from '@rxlet/agent-api/events';
import type { PodAllocations } from '@rxlet/agent-api/node';
import { type Clock, toRfc3339 } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pleg } from '@rxlet/pleg';
import { podUid } from '@rxlet/pod-model';
import type { PodConfig } from '@rxlet/pod-config';
import {
  couldHaveRunningContainers,
  isKnownTerminated,
  killPodNow,
  type PodWorkers,
  shouldContentBeRemoved,
} from '@rxlet/pod-workers';
import type { RuntimeManager } from '@rxlet/runtime-manager';
import type { StatusManager } from '@rxlet/status-manager';
import { defer } from 'rxjs';
import type { Contributions } from '../host/contributions.ts';
import type { RuntimeState } from '../core/runtime-state.ts';
import type { SyncLoop } from '../sync-loop/sync-loop.ts';

/** Parts of the core that exist before the modules. */
export interface EarlyCoreParts {
  readonly clock: Clock;
  readonly pods: PodList;
  readonly events: EventList & EventRecorder;
  readonly podIps: AgentCore['podIps'];
}

/** Parts of the core that are created from the contributions of modules. */
export interface LateCoreParts {
  readonly config: Pick<PodConfig, 'pods' | 'sourcesReady' | 'problems' | 'problems$'>;
  readonly pleg: Pick<Pleg, 'pods' | 'cache' | 'problem' | 'unreadablePods' | 'queue'>;
  readonly runtimeState: Pick<
    RuntimeState,
    'known' | 'runtimeProblem' | 'networkProblem' | 'problems' | 'handlers' | 'features'
  >;
  readonly workers: Pick<PodWorkers, 'state' | 'podsSynced' | 'inspect' | 'terminate'>;
  readonly statusManager: Pick<StatusManager, 'get' | 'isPublished'>;
  readonly runtimeManager: Pick<RuntimeManager, 'collectGarbage'>;
  /** Default: the desired resources of pods count as allocated. */
  readonly allocations?: Pick<PodAllocations, 'allocated'> | undefined;
  readonly loop: Pick<
    SyncLoop,
    'requestSync' | 'awaitsAdmission' | 'awaitingAdmission' | 'problem' | 'housekeepingProblem'
  >;
}

/** The core for modules, which are set up before it exists. */
export interface CoreHandle {
  /** Creates the modules' view of the core. */
  forModules(contributions: Contributions['of']): AgentCore;
  /** Connects the view to the core. */
  bind(parts: LateCoreParts): void;
  /** Reports whether containers of a pod with a worker may be running; for the status manager, which exists before the workers. */
  couldHaveRunningContainers(podUid: string): boolean;
  requestSync(podUid: string): void;
  /** Returns the parts that were bound. @throws TypeError before that */
  bound(): LateCoreParts;
}

/** Creates a {@link CoreHandle}. */
export function createCoreHandle({ clock, pods, events, podIps }: EarlyCoreParts): CoreHandle {
  let late: LateCoreParts | undefined;
  const bound = (): LateCoreParts => {
    if (late === undefined)
      throw new TypeError('a module called the core during its set-up; call it from start or later');
    return late;
  };
  const mayRemoveContent = (podUid: string): boolean => {
    const { workers, loop } = bound();
    return !loop.awaitsAdmission(podUid) && shouldContentBeRemoved(workers.state(podUid), workers.podsSynced());
  };
  return {
    bound,
    couldHaveRunningContainers(podUid) {
      const state = bound().workers.state(podUid);
      return state !== undefined && couldHaveRunningContainers(state);
    },
    requestSync: (podUid) => bound().loop.requestSync(podUid),
    bind(parts) {
      late = parts;
    },
    forModules: (contributions) => ({
      pods,
      events,
      podIps,
      sourcesReady: () => bound().config.sourcesReady(),
      sourceProblems: {
        list: () => bound().config.problems(),
        problems$: defer(() => bound().config.problems$),
      },
      activePods() {
        const { config, workers, allocations } = bound();
        const active = config.pods().filter((pod) => {
          const state = workers.state(podUid(pod));
          return state !== undefined && !isKnownTerminated(state);
        });
        return allocations === undefined ? active : active.map(allocations.allocated);
      },
      podStatus: (podUid) => bound().statusManager.get(podUid),
      isStatusPublished: (podUid) => bound().statusManager.isPublished(podUid),
      runtimePods: () => bound().pleg.pods(),
      runtimeStatus: (podUid) => bound().pleg.cache.get(podUid),
      killPod: (pod, request, signal) => killPodNow({ workers: bound().workers, clock, events }, pod, request, signal),
      mayRunContainers(podUid) {
        const { workers, loop } = bound();
        return loop.awaitsAdmission(podUid) || couldHaveRunningContainers(workers.state(podUid), workers.podsSynced());
      },
      async collectContainerGarbage(signal) {
        const { config, runtimeManager } = bound();
        await runtimeManager.collectGarbage({
          signal,
          allSourcesReady: config.sourcesReady(),
          shouldContentBeRemoved: mayRemoveContent,
        });
      },
      debugState: () => ({
        time: toRfc3339(clock.now()),
        ...Object.fromEntries(contributions(debugSections).map(({ name, inspect }) => [name, inspect()])),
      }),
    }),
  };
}
