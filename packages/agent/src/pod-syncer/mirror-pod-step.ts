import type { PodStep } from '@rxlet/agent-api';
import type { MirrorPods } from '@rxlet/agent-api/statuses';
import { errorMessage, type Logger } from '@rxlet/component-base';
import { formatPod, isStaticPod } from '@rxlet/pod-model';

/** Creates the step that reconciles the mirrors of static pods. Failures are only logged: static pods keep running while the API server is unreachable. */
export function mirrorPodStep(mirrorPods: MirrorPods, logger: Logger): PodStep {
  return {
    name: 'mirror-pods',
    async prepare(pod, signal) {
      if (!isStaticPod(pod)) return;
      try {
        await mirrorPods.reconcile(pod, signal);
      } catch (error) {
        signal.throwIfAborted();
        logger.warn('cannot reconcile the mirror of a static pod', { pod: formatPod(pod), error: errorMessage(error) });
      }
    },
  };
}
