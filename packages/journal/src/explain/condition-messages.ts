import type { JournalSink } from '@rxlet/agent-api/journal';
import type { PodStatusContributor } from '@rxlet/agent-api/statuses';
import type { Life } from '../model/life.ts';
import { sandboxMessage } from './sandbox-message.ts';

/** Messages of conditions, with what they need of the journal. */
export interface ConditionMessages {
  /**
   * Contributes the message of `PodReadyToStartContainers`. It is the only condition that has none in a kubelet while a pod waits: `Initialized`, `ContainersReady`
   * and `Ready` name the containers, and clients read these names.
   */
  readonly contributor: PodStatusContributor;
  /** Takes note of an entry of the journal. */
  readonly observe: JournalSink;
  /** Forgets all pods but these. */
  retain(podUids: ReadonlySet<string>): void;
}

/** Waits that are open while the status of a pod is generated; in all others, the status follows their failure. */
const OPEN_WAITS: ReadonlySet<string> = new Set(['node.runtime', 'node.network']);

/** Creates {@link ConditionMessages}. The lives are read only of pods that something failed for, so that pods that start at once cost nothing. */
export function createConditionMessages(lifeOf: (podUid: string) => Life | undefined): ConditionMessages {
  /** Pods that may wait for their sandbox. Bounded by the pods of the node. */
  const suspects = new Set<string>();
  return {
    contributor: {
      name: 'journal',
      conditionTypes: [],
      conditions: () => [],
      conditionMessage({ metadata: { uid = '', deletionTimestamp } = {} }, { phase }, type) {
        if (type !== 'PodReadyToStartContainers' || !suspects.has(uid)) return undefined;
        if (deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed') return undefined;
        const life = lifeOf(uid);
        return life && sandboxMessage(life);
      },
    },
    observe(entry) {
      const isFailure = entry.type === 'end' && entry.outcome.result === 'failed';
      if (isFailure || (entry.type === 'begin' && OPEN_WAITS.has(entry.kind))) suspects.add(entry.uid);
    },
    retain(podUids) {
      for (const uid of suspects) if (!podUids.has(uid)) suspects.delete(uid);
    },
  };
}
