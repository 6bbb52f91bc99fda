/** A node without containers, in the style of virtual-kubelet: a provider runs its pods, and the cluster sees a node like any other. */
import { isKubeError } from '@rxlet/kube-api/client';
import { createKeyedExecutor, createLifetime, errorMessage, sleep } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { podStatusPatch } from '@rxlet/status-manager';
import { type NamedNode, type NodePorts, startHeartbeat } from './node-heartbeat.ts';

/** Runs pods somewhere. Calls are repeated until they succeed, and calls for one pod never overlap. */
export interface PodProvider {
  /** Makes a pod run as it is now, and returns its status. */
  apply(pod: Pod): Promise<PodStatus>;
  /** Ends a pod, if it runs, and returns its last status. */
  remove(pod: Pod): Promise<PodStatus>;
}

const RETRY_MS = 5_000;
const { pods } = resources;

/** Registers a node, and gives the pods that are bound to it to the provider. */
export function startVirtualNode(ports: NodePorts, node: NamedNode, provider: PodProvider): AsyncDisposable {
  const { client, clock, logger } = ports;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const watch = client.watch(pods, { fieldSelector: `spec.nodeName=${node.metadata.name}` });
  const turns = createKeyedExecutor();
  const waiting = new Set<string>();

  const sync = async (seen: Pod): Promise<void> => {
    const { uid = '', name = '', namespace } = seen.metadata ?? {};
    const pod = watch.find({ name, namespace });
    if (pod?.metadata?.uid !== uid) return void (await provider.remove(seen));
    const isEnding = pod.metadata.deletionTimestamp !== undefined;
    const status = await (isEnding ? provider.remove(pod) : provider.apply(pod));
    const body = podStatusPatch(uid, pod.status ?? {}, status);
    const ref = { name, namespace };
    if (body) await client.patch(pods, ref, { type: 'strategic', body }, { subresource: 'status', signal });
    // The API server waits for this confirmation before it removes the pod.
    if (isEnding) await client.delete(pods, ref, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
  };
  const syncUntilDone = async (pod: Pod): Promise<void> => {
    waiting.delete(pod.metadata?.uid ?? '');
    while (!signal.aborted) {
      try {
        return await sync(pod);
      } catch (error) {
        if (isKubeError(error, 'NotFound')) return;
        logger.warn('cannot sync a pod', { pod: pod.metadata?.name, error: errorMessage(error) });
        await sleep(clock, RETRY_MS, signal).catch(() => undefined);
      }
    }
  };
  /** Syncs a pod after its current turn. One turn is enough for any number of changes, because it reads the latest version. */
  const request = (pod: Pod): void => {
    const uid = pod.metadata?.uid ?? '';
    if (waiting.has(uid)) return;
    waiting.add(uid);
    void lifetime.track(turns.run(uid, () => syncUntilDone(pod)));
  };

  const subscription = follow(watch.changes$, {
    task: 'following the pods of the node',
    logger,
    next: (change) => (change.type === 'snapshot' ? change.objects : [change.object]).forEach(request),
  });
  const heartbeat = startHeartbeat(ports, node);
  lifetime.defer(async () => heartbeat[Symbol.asyncDispose]());
  lifetime.defer(async () => watch[Symbol.asyncDispose]());
  lifetime.defer(() => subscription.unsubscribe());
  watch.start();
  return lifetime;
}
