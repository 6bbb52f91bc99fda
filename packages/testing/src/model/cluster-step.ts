import type { Fault } from '@rxlet/fake-kube';
import type { SourceStep } from './agent-model.ts';
import type { ClusterPodKind, OBJECT_NAMES } from './cluster-pods.ts';
import type { RuntimeStep } from './runtime-step.ts';

/** A step of a model run in a cluster. The pods of the source `file` are static pods. */
export type ClusterStep = SourceStep | RuntimeStep | ApiStep | ServerStep;

/** A request of a user of the API server. */
export type ApiStep =
  /** Creates a pod that is bound to the node, unless there is one of the name. */
  | { readonly do: 'create'; readonly name: string; readonly kind: ClusterPodKind; readonly version: number }
  /** Deletes a pod; 0 by force. */
  | { readonly do: 'delete'; readonly name: string; readonly graceSeconds: number | undefined }
  /** Adds or removes a finalizer of a pod. */
  | { readonly do: 'hold'; readonly name: string; readonly isHeld: boolean }
  | { readonly do: 'label'; readonly name: string; readonly value: string }
  /** Changes the images of a pod. */
  | { readonly do: 'image'; readonly name: string; readonly version: number }
  /** Writes over the status of a pod. */
  | { readonly do: 'overwrite'; readonly name: string }
  /** Writes or deletes the ConfigMap or the Secret. */
  | { readonly do: 'object'; readonly kind: keyof typeof OBJECT_NAMES; readonly version: number | undefined };

/** A fault of the API server. */
export type ServerStep =
  | { readonly do: 'api-fault'; readonly fault: Fault }
  /** Watches break, or die unnoticed. `rewind` repeats the last changes to those that resume. */
  | { readonly do: 'watches'; readonly how: 'cut' | 'freeze' | 'compact' | 'rewind' }
  /** Answers from the cache lag behind. */
  | { readonly do: 'stale'; readonly revisions: number }
  /** The server is away for a while, and has forgotten its history afterwards. */
  | { readonly do: 'api-outage'; readonly ms: number }
  /** The Node object is deleted with its lease, and created again by an operator after a while. */
  | { readonly do: 'node-gone'; readonly ms: number };
