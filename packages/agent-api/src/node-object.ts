import type { Node } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** The Node object that this agent manages. Without a provider, parts use the identity and the resources of the node alone. */
export const nodeObject: ServiceKey<NodeObject> = serviceKey('node object');

/** The Node object (kubelet: GetNode and GetCachedNode). */
export interface NodeObject {
  /** Returns the last known Node object: that of the API server, otherwise the one that the agent would register. */
  cached(): Node;
  /** Emits after each change of the Node object at the API server. Absent: there is none. */
  readonly changes$?: Observable<unknown>;
  /** Reads the Node object from the API server; standalone as `cached`. */
  read(signal?: AbortSignal): Promise<Node>;
  /** Resolves when the Node objects of the API server have been listed once, so that `cached` is theirs. Absent: nothing to wait for. */
  whenSynced?(signal: AbortSignal): Promise<void>;
}

/** Resources of the node. */
export const nodeResources: ServiceKey<NodeResources> = serviceKey('node resources');

/** Resources of the node, as quantities by resource name (`cpu`, `memory`, `ephemeral-storage`, `hugepages-2Mi`, extended resources). */
export interface NodeResources {
  /** All resources of the node. */
  capacity(): Readonly<Record<string, string>>;
  /** Resources for pods, as in the status of the Node object: capacity less the reservations for the system, the agent and eviction, and memory less huge pages. */
  allocatable(): Readonly<Record<string, string>>;
}
