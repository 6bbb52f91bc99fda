import type { PodStatusContributor } from '@rxlet/agent-api/statuses';
import type { Life } from '../model/life.ts';
import { sandboxMessage } from './sandbox-message.ts';

/**
 * Creates the contributor of the message of `PodReadyToStartContainers`. It is the only condition that has none in a kubelet while a pod waits: `Initialized`,
 * `ContainersReady` and `Ready` name the containers, and clients read these names.
 */
export function conditionMessages(lifeOf: (podUid: string) => Life | undefined): PodStatusContributor {
  return {
    name: 'journal',
    conditionTypes: [],
    conditions: () => [],
    conditionMessage(pod, { phase }, type) {
      if (type !== 'PodReadyToStartContainers' || phase === 'Succeeded' || phase === 'Failed') return undefined;
      if (pod.metadata?.deletionTimestamp !== undefined) return undefined;
      const life = lifeOf(pod.metadata?.uid ?? '');
      return life && sandboxMessage(life);
    },
  };
}
