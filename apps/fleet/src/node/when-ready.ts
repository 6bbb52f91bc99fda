import { onAbort } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Logger } from '@rxlet/component-base';
import type { Node } from '@rxlet/kube-api';
import type { KubeClient } from '@rxlet/kube-api/client';
import { resources } from '@rxlet/kube-api/resources';

/** Resolves when the API server shows a node as ready. Rejects with the reason of the signal. */
export async function whenReady(
  { client, logger }: { readonly client: Pick<KubeClient, 'watch'>; readonly logger: Logger },
  name: string,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  await using watch = client.watch(resources.nodes, { fieldSelector: `metadata.name=${name}` });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  using _listener = onAbort(signal, reject);
  const subscription = follow(watch.changes$, {
    task: 'waiting until a node is ready',
    logger,
    next: () => void (isReady(watch.find({ name })) && resolve()),
  });
  watch.start();
  try {
    await promise;
  } finally {
    subscription.unsubscribe();
  }
}

/** Reports whether the Node object has the condition `Ready`. */
export function isReady(node: Node | undefined): boolean {
  return (node?.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
}
