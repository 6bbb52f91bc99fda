import type { PodSource, PodSourceChange, PodSourceProblem } from '@rxlet/agent-api/sources';
import type { ObjectWatch } from '@rxlet/kube-api/client';
import { createLifetime, type Logger } from '@rxlet/component-base';
import { createCurrentValue, createEmitter, currentThenChanges, follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { isMirrorPod } from '@rxlet/pod-model';

/** Ports of {@link createApiPodSource}. */
export interface ApiPodSourcePorts {
  /** The node's pods in the API server. The source starts it, and its owner disposes of it. */
  readonly watch: ObjectWatch<Pod>;
  /** Waits until the labels and taints of the node are known: without them, admission would reject pods for no reason. */
  readonly nodeKnown: (signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Creates the source `api`: the pods that the API server has bound to this node. Mirror pods are not among them, because their static pods come from another
 * source. Pods stay while the API server is unreachable.
 */
export function createApiPodSource({ watch, nodeKnown, logger }: ApiPodSourcePorts): PodSource {
  const lifetime = createLifetime();
  const snapshots = createEmitter<readonly Pod[]>();
  const changes = createEmitter<PodSourceChange>();
  const upserts = createEmitter<readonly Pod[]>();
  const problems = createCurrentValue<readonly PodSourceProblem[]>([]);
  let started = false;
  let isRead = false;

  const run = async (): Promise<void> => {
    await nodeKnown(lifetime.signal);
    const subscription = follow(watch.changes$, {
      task: 'reading the pods of the API server',
      logger,
      next(change) {
        if (change.type === 'snapshot') {
          isRead = true;
          snapshots.emit(change.objects.filter(isOwn));
        } else if (!watch.isSynced) {
          // Pods that were known before the API server answers may have been deleted meanwhile, and others may be missing.
          if (change.type !== 'deleted' && isOwn(change.object)) upserts.emit([change.object]);
        } else if (change.type === 'deleted') {
          if (isOwn(change.object)) changes.emit({ removed: [change.object] });
        } else {
          changes.emit({
            upserted: [change.object].filter(isOwn),
            // A pod may become a mirror pod.
            removed: change.type === 'modified' && !isOwn(change.object) ? [change.previous].filter(isOwn) : [],
          });
        }
      },
    });
    lifetime.defer(() => subscription.unsubscribe());
    watch.start();
  };

  return {
    name: 'api',
    snapshots$: currentThenChanges(() => (isRead ? [watch.list().filter(isOwn)] : []), snapshots.values$),
    upserts$: upserts.values$,
    changes$: changes.values$,
    problems$: problems.value$,
    start() {
      if (started) return;
      started = true;
      void lifetime.track(run()).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await lifetime[Symbol.asyncDispose]();
      snapshots.complete();
      upserts.complete();
      changes.complete();
      problems.complete();
    },
  };
}

function isOwn(pod: Pod): boolean {
  return !isMirrorPod(pod);
}
