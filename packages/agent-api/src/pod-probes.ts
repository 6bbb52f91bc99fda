import type { Observable } from 'rxjs';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Results of liveness, readiness and startup probes. Without a provider, pods with probes are rejected. */
export const podProbes: ServiceKey<PodProbes> = serviceKey('pod probes');

/** Results of probes, as the core uses them. */
export interface PodProbes {
  /** Last results by container id without the runtime's name; a container without a result has no entry. */
  livenessResults(): ProbeResults;
  startupResults(): ProbeResults;
  /** Last readiness of a container, named as in a pod's status (`containerd://0123…`); `undefined` without a result. */
  isReady(containerId: string): boolean | undefined;
  /** Reports whether the startup probe has passed; `undefined` without a result. */
  isStarted(containerId: string): boolean | undefined;
  /** Records that a status of the pod was set: newly started containers may be probed at once. */
  statusSet(podUid: string): void;
  /** Results that differ from the last one of the same container and kind. Hot. */
  readonly results$: Observable<ProbeResultChange>;
}

/** Last result of a probe. */
export type ProbeResult = 'success' | 'failure' | 'unknown';

/** Container id without the runtime's name → last result. */
export type ProbeResults = ReadonlyMap<string, ProbeResult>;

/** A new result of a probe. */
export interface ProbeResultChange {
  readonly podUid: string;
  /** Name of the container. */
  readonly container: string;
  /** Container id as in the pod's status. */
  readonly containerId: string;
  readonly kind: 'liveness' | 'readiness' | 'startup';
  readonly result: ProbeResult;
}
