import { type ServiceKey, serviceKey } from './service-key.ts';

/** Resources of the node. */
export const nodeResources: ServiceKey<NodeResources> = serviceKey('node resources');

/** Resources of the node, as quantities by resource name (`cpu`, `memory`, `ephemeral-storage`, `hugepages-2Mi`, extended resources). */
export interface NodeResources {
  /** All resources of the node. */
  capacity(): Readonly<Record<string, string>>;
  /** Resources for pods, as in the status of the Node object: capacity less the reservations for the system, the agent and eviction, and memory less huge pages. */
  allocatable(): Readonly<Record<string, string>>;
}
