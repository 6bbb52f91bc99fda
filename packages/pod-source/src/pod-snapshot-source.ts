import type { Observable } from 'rxjs';
import type { Pod } from '@rxlet/kube-api';
import type { SourceProblem } from './source-problem.ts';

/**
 * A place that pods come from. It always tells the whole set of its pods; what changed between two snapshots is found out by whoever listens. Each pod
 * has a name, a namespace and a UID; another UID under a name means another pod.
 */
export interface PodSnapshotSource extends AsyncDisposable {
  /** `file`, `http` or `api` as in a kubelet, or another for a source of one's own; goes into annotation `kubernetes.io/config.source`. */
  readonly name: string;
  /**
   * The set of pods, whenever it changed. Silent until the source knows its pods for the first time, from then on it replays the latest set to each new
   * subscriber. An empty set means that all pods are to go. Completes on disposal.
   */
  readonly snapshots$: Observable<readonly Pod[]>;
  /** What is wrong, once for each thing until it changes. Hot; completes on disposal. */
  readonly problems$: Observable<SourceProblem>;
  /** Begins to look for pods. Later calls do nothing. */
  start(): void;
}
