import type { RuntimeClasses } from '@rxlet/agent-api/kube';
import type { RuntimeHandlerFeatures, RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';

/**
 * Returns the runtime handler of a pod's RuntimeClass; empty, which is the default handler, without one.
 * @throws Error for an unknown class
 */
export function runtimeHandlerOf(pod: Pod, runtimeClasses: RuntimeClasses | undefined): string {
  const { runtimeClassName = '' } = pod.spec!;
  if (runtimeClassName === '') return '';
  if (runtimeClasses === undefined) {
    throw new Error(`failed to lookup RuntimeClass ${runtimeClassName}: this agent does not support runtime classes`);
  }
  const found = runtimeClasses.find(runtimeClassName);
  if (found === undefined) throw new Error(`runtimeclass.node.k8s.io ${JSON.stringify(runtimeClassName)} not found`);
  return found.handler;
}

/**
 * Reads the features of a runtime handler; `undefined` when the runtime does not report its handlers.
 * @throws Error for a handler that is not among them
 */
export async function readHandlerFeatures(
  runtime: Pick<RuntimeService, 'status'>,
  handler: string,
  signal: AbortSignal | undefined,
): Promise<Partial<RuntimeHandlerFeatures> | undefined> {
  const { runtimeHandlers } = await runtime.status({}, { signal });
  if (runtimeHandlers.length === 0) return undefined;
  const found = runtimeHandlers.find(({ name }) => name === handler);
  if (found === undefined) throw new Error(`the handler ${JSON.stringify(handler)} is not known`);
  return found.features ?? {};
}
