import { errorMessage } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import type { UserNamespace } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { readHandlerFeatures } from '../config/runtime-handler.ts';
import type { Context } from '../context.ts';
import { hasOwnUsers, nodeUsers } from './user-namespaces.ts';

/** Ports of {@link podUsers}. */
export type PodUsersPorts = Pick<Context, 'runtime' | 'runtimeHandler' | 'userNamespaces'>;

/** Returns the user namespace of a pod. Rejects when the runtime has none, or when no ids are left. */
export async function podUsers(
  { runtime, runtimeHandler, userNamespaces }: PodUsersPorts,
  pod: Pod,
  signal: AbortSignal | undefined,
): Promise<UserNamespace> {
  if (!hasOwnUsers(pod)) return nodeUsers;
  const handler = await runtimeHandler(pod);
  const where = handler === '' ? 'runtime' : `RuntimeClass handler ${goQuote(handler)}`;
  const unsupported = `can't set \`spec.hostUsers: false\`, ${where} does not support user namespaces`;
  let isSupported: boolean;
  try {
    isSupported = (await readHandlerFeatures(runtime, handler, signal))?.userNamespaces ?? false;
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${unsupported}: ${errorMessage(error)}`, { cause: error });
  }
  if (!isSupported) throw new Error(unsupported);
  return userNamespaces.reserve(pod, signal);
}
