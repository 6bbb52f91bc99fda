import { isNotFound, type RuntimeService } from '@rxlet/cri-api';
import type { ContainerPort, LifecycleHandler, Pod } from '@rxlet/kube-api';
import { ContainerAnnotation, type PodIdentity } from '@rxlet/pod-model';

/**
 * Restores the part of a pod that is needed to stop one of its containers, from the container's annotations: its grace period, and its preStop hook with the
 * ports that the hook may refer to.
 * @returns `undefined` when the container no longer exists
 */
export async function restorePod(
  runtime: Pick<RuntimeService, 'containerStatus'>,
  identity: PodIdentity,
  container: { readonly id: string; readonly name: string },
  signal: AbortSignal | undefined,
): Promise<Pod | undefined> {
  let annotations: Readonly<Record<string, string>>;
  try {
    const { status } = await runtime.containerStatus({ containerId: container.id }, { signal });
    annotations = status?.annotations ?? {};
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  const deletionGracePeriodSeconds = integer(annotations[ContainerAnnotation.podDeletionGracePeriod]);
  const terminationGracePeriodSeconds = integer(annotations[ContainerAnnotation.podTerminationGracePeriod]);
  const preStop = parsed<LifecycleHandler>(annotations[ContainerAnnotation.preStopHandler]);
  const ports = parsed<readonly ContainerPort[]>(annotations[ContainerAnnotation.ports]);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...identity, ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }) },
    spec: {
      ...(terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }),
      containers: [
        {
          name: container.name,
          ...(ports !== undefined && { ports }),
          ...(preStop !== undefined && { lifecycle: { preStop } }),
        },
      ],
    },
  };
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the value of a JSON annotation; `undefined` when it is damaged. */
function parsed<T>(json: string | undefined): T | undefined {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}
