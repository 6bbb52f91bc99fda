import type { Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { PodActions } from '../compute/pod-actions.ts';
import type { SyncResult } from './sync-result.ts';

/** Data shared by the steps of one sync of a pod, with the ports that they use. */
export interface SyncRun<Ports> {
  readonly ports: Ports;
  readonly pod: Pod;
  /** Status of the pod when the sync began. */
  readonly status: RuntimePodStatus;
  /** Actions of this sync. */
  readonly actions: PodActions;
  /** Records the outcome of a step. */
  readonly record: (result: SyncResult) => void;
  readonly signal: AbortSignal | undefined;
}
