import type { AgentModule, ModuleContext } from '@rxlet/agent-api';
import { podEventObject } from '@rxlet/pod-model';

/** Stands for an eviction manager, which the agent does not have: the replay decides what is evicted. */
export interface Evictor {
  readonly module: AgentModule;
  /** Evicts the pod of a name as soon as possible. */
  evict(name: string, message: string): void;
}

const REASON = 'Evicted';

/** Creates an {@link Evictor}. */
export function createEvictor(): Evictor {
  let context: ModuleContext | undefined;
  return {
    module: {
      name: 'eviction',
      setup(given) {
        context = given;
        return {};
      },
    },
    evict(name, message) {
      const { core, events } = context!;
      const pod = core.pods.list().find(({ metadata }) => metadata?.name === name);
      if (pod === undefined) throw new Error(`there is no pod "${name}"`);
      events.event(podEventObject(pod), 'Warning', REASON, message);
      void core.killPod(pod, {
        reason: 'evicted',
        gracePeriodSeconds: 0,
        amendStatus: (status) => ({ ...status, phase: 'Failed', reason: REASON, message }),
      });
    },
  };
}
