import { isNotFound, type RuntimeService } from '@rxlet/cri-api';
import type { LifecycleHandler, Pod } from '@rxlet/kube-api';
import { ContainerAnnotation } from '@rxlet/pod-model';

/** A pod of which only the runtime still knows. */
export interface PodIdentity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

/**
 * Rebuilds as much of a pod as is needed to stop one of its containers well, from what was written on the container when it was made: its grace period and
 * preStop hook.
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
  const preStop = handler(annotations[ContainerAnnotation.preStopHandler]);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...identity, ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }) },
    spec: {
      ...(terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }),
      containers: [{ name: container.name, ...(preStop !== undefined && { lifecycle: { preStop } }) }],
    },
  };
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function handler(json: string | undefined): LifecycleHandler | undefined {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as LifecycleHandler;
  } catch {
    return undefined;
  }
}
