import type { RuntimeClasses } from '@rxlet/agent-api/kube';
import { errorMessage, type Logger } from '@rxlet/component-base';
import type { RuntimeHandlerFeatures, RuntimeService } from '@rxlet/cri-api';
import type { Container, Pod } from '@rxlet/kube-api';
import { formatPod } from '@rxlet/pod-model';

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

/** Ports of {@link supportsRecursiveReadOnly}. */
export interface RuntimeHandlerPorts {
  readonly runtime: Pick<RuntimeService, 'status'>;
  readonly runtimeHandler: (pod: Pod) => string | Promise<string>;
  readonly logger: Logger;
}

/**
 * Reports whether a pod's runtime handler supports recursive read-only mounts (KEP-3857). Reads the runtime's status only if one of `containers` requests such a
 * mount. Handlers whose features are unknown do not support them.
 */
export async function supportsRecursiveReadOnly(
  { runtime, runtimeHandler, logger }: RuntimeHandlerPorts,
  pod: Pod,
  containers: readonly Pick<Container, 'volumeMounts'>[],
  signal?: AbortSignal,
): Promise<boolean> {
  const mounts = containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
  if (!mounts.some(({ recursiveReadOnly = 'Disabled' }) => recursiveReadOnly !== 'Disabled')) return false;
  try {
    const features = await readHandlerFeatures(runtime, await runtimeHandler(pod), signal);
    return features?.recursiveReadOnlyMounts ?? false;
  } catch (error) {
    signal?.throwIfAborted();
    logger.warn('cannot read the features of the runtime handler; recursive read-only mounts count as unsupported', {
      pod: formatPod(pod),
      error: errorMessage(error),
    });
    return false;
  }
}
