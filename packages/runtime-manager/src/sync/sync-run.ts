import type { Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model';
import type { PodActions } from '../compute/pod-actions.ts';
import type { Context } from '../context.ts';
import type { SyncResult } from './sync-result.ts';

/** One sync of one pod: what its steps work with. */
export interface SyncRun {
  readonly context: Context;
  readonly pod: Pod;
  /** What the runtime held of the pod when the sync began. */
  readonly status: RuntimePodStatus;
  /** What was decided. */
  readonly actions: PodActions;
  /** Takes down how a step ended. */
  readonly record: (result: SyncResult) => void;
  readonly signal: AbortSignal | undefined;
}
