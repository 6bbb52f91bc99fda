import type { AdmissionHandler } from '@rxlet/agent-api';
import type { PodAllocations } from '@rxlet/agent-api/node';
import type { Lifetime, Logger } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import type { PodWorkers } from '@rxlet/pod-workers';

/** Parts of the core that use the allocated version of each pod. */
export interface AllocatedParts {
  readonly workers: PodWorkers;
  readonly admission: readonly AdmissionHandler[];
}

/**
 * Returns the parts of the core, with the allocated version of each pod in place of the desired one (kubelet: UpdatePodFromAllocation); the other pods of an
 * admission have it already. Workers get an update when
 * an allocation changes. Without allocations, the parts are returned as they are.
 */
export function withAllocations(
  parts: AllocatedParts,
  allocations: PodAllocations | undefined,
  { logger, lifetime }: { readonly logger: Logger; readonly lifetime: Lifetime },
): AllocatedParts {
  if (allocations === undefined) return parts;
  const { workers, admission } = parts;
  const allocated = (pod: Pod): Pod => allocations.allocated(pod);
  const subscription = follow(allocations.changes$, {
    task: 'updating a pod to its allocation',
    logger,
    next: (pod) => workers.update(pod),
  });
  lifetime.defer(() => subscription.unsubscribe());
  return {
    workers: {
      ...workers,
      add(pod) {
        allocations.desire(pod);
        workers.add(allocated(pod));
      },
      update(pod) {
        allocations.desire(pod);
        workers.update(allocated(pod));
      },
      reconcile(pod) {
        workers.reconcile(allocated(pod));
      },
    },
    admission: admission.map((handler) => ({
      name: handler.name,
      admit: (pod, others, signal) => handler.admit(allocated(pod), others, signal),
      mayTakeLong: (pod) => handler.mayTakeLong?.(allocated(pod)) === true,
    })),
  };
}
