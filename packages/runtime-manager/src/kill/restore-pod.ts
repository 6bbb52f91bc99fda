import { isNotFound, type RuntimeService } from '@rxlet/cri-api';
import type { ContainerPort, LifecycleHandler, Pod } from '@rxlet/kube-api';
import { ContainerAnnotation, type PodIdentity } from '@rxlet/pod-model';

/**
 * Rebuilds as much of a pod as is needed to stop one of its containers well, from what was written on the container when it was made: its grace period, and
 * its preStop hook with the ports that this may name.
 * @returns `undefined` when the runtime does not know the container any more.
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

/** What an annotation holds; one that is damaged holds nothing. */
function parsed<T>(json: string | undefined): T | undefined {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}
