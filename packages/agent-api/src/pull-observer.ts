import { type ServiceKey, serviceKey } from './service-key.ts';

/** Observes image pulls. Without a provider, pulls are not observed. */
export const pullObserver: ServiceKey<PullObserver> = serviceKey('pull observer');

/** Receives the start and end of each pull for a pod, for example to measure the start of a pod without its pulls. Pulls of one pod may overlap. */
export interface PullObserver {
  imagePullStarted(podUid: string): void;
  imagePullFinished(podUid: string): void;
}
