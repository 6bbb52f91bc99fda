import type { ObjectWatch, PodSource, PodSourceProblem } from '@rxlet/agent-api';
import { createLifetime, type Logger } from '@rxlet/component-base';
import { createCurrentValue, createEmitter, follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { isMirrorPod } from '@rxlet/pod-model';
import { ReplaySubject } from 'rxjs';

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
  const snapshots = new ReplaySubject<readonly Pod[]>(1);
  const upserts = createEmitter<readonly Pod[]>();
  const problems = createCurrentValue<readonly PodSourceProblem[]>([]);
  let started = false;

  const run = async (): Promise<void> => {
    await nodeKnown(lifetime.signal);
    const subscription = follow(watch.changes$, {
      task: 'reading the pods of the API server',
      logger,
      next() {
        const pods = watch.list().filter((pod) => !isMirrorPod(pod));
        // Pods that were known before the API server answers may have been deleted meanwhile, and others may be missing.
        if (watch.isSynced) snapshots.next(pods);
        else upserts.emit(pods);
      },
    });
    lifetime.defer(() => subscription.unsubscribe());
    watch.start();
  };

  return {
    name: 'api',
    snapshots$: snapshots.asObservable(),
    upserts$: upserts.values$,
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
      problems.complete();
    },
  };
}
