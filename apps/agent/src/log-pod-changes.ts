import type { PodChange } from '@rxlet/agent-api';
import type { Logger } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Observable, Unsubscribable } from 'rxjs';
import { podStatusWord } from '@rxlet/pod-model/summary';

/** Logs a line whenever the word for a pod's state changes, the same word that `rxlet get pods` shows. */
export function logPodChanges(changes$: Observable<PodChange>, logger: Logger): Unsubscribable {
  const words = new Map<string, string>();
  const log = ({ type, pod }: PodChange): void => {
    const { uid = '', name, namespace } = pod.metadata ?? {};
    const word = type === 'DELETED' ? 'Deleted' : podStatusWord(pod);
    if (words.get(uid) === word) return;
    if (type === 'DELETED') words.delete(uid);
    else words.set(uid, word);
    const message = pod.status?.message;
    logger.info(`pod is ${word}`, {
      pod: name,
      namespace,
      ...(pod.status?.podIP && { ip: pod.status.podIP }),
      ...(message && { message }),
    });
  };
  return follow(changes$, { task: 'logging changes of pods', logger, next: log });
}
