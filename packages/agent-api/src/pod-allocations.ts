import type { Pod } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Resources that the node has allocated to its pods. Without a provider a resize takes effect as soon as it is desired. */
export const podAllocations: ServiceKey<PodAllocations> = serviceKey('pod allocations');

/**
 * Resources that the node has allocated to its pods (kubelet: allocation manager). They are those of the pod's admission, until a resize (KEP-1287) was found to
 * fit. The core uses the allocated version of each pod.
 */
export interface PodAllocations {
  /**
   * Returns the pod with its allocated resources; unchanged when nothing is allocated to it. Until a resize is decided on, the pod has the generation that its
   * status reported last.
   */
  allocated(pod: Pod): Pod;
  /** Allocates the desired resources of a pod that was admitted, unless it has an allocation. */
  admit(pod: Pod): void;
  /** Records the desired version of an admitted pod. When it differs from the allocation, the resize is decided on in the background. */
  desire(pod: Pod): void;
  /** UIDs of pods whose allocated resources are others from now on. Emitted at once; {@link PodAllocations.changes$} follows when they are saved. Hot. */
  readonly allocations$: Observable<string>;
  /** Pods whose allocation has changed or whose resize was put off, in the allocated version. Each needs a sync. Hot. */
  readonly changes$: Observable<Pod>;
}
