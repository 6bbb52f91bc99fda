import type { Observable } from 'rxjs';
import type { Node, NodeCondition, NodeStatus } from '@rxlet/kube-api';
import { collectionKey, type CollectionKey } from './collection-key.ts';

/** Contributes to the status of the Node object each time it is computed (kubelet: nodestatus.Setter). */
export interface NodeStatusSetter {
  readonly name: string;
  /** Fields of `status` that this setter owns, such as `volumesInUse`. Fields of two setters must not overlap. */
  readonly fields?: readonly (keyof NodeStatus)[];
  /** Types of the conditions that this setter owns, such as `MemoryPressure`. Types of two setters must not overlap. */
  readonly conditionTypes?: readonly string[];
  /** Emits when the contribution has changed and must be reported at once, not with the next regular report. Absent: never. */
  readonly changes$?: Observable<unknown>;
  /** Returns the current contribution. After a throw, fields and conditions of the setter stay as they are, and the error is logged. */
  contribute(node: Node): NodeStatusContribution;
}

/** Fields and conditions of the Node object's status. An agent without a Node object needs none. */
export const nodeStatusSetters: CollectionKey<NodeStatusSetter> = collectionKey('node status setters', {
  isOptional: true,
  owns: ({ fields = [], conditionTypes = [] }) => [
    ...fields.map((field) => `node status field "${field}"`),
    ...conditionTypes.map((type) => `node condition "${type}"`),
  ],
});

/** Contribution of a {@link NodeStatusSetter}. Only what it owns is used. */
export interface NodeStatusContribution {
  /** Values of the setter's fields. A field that is absent stays as it is. */
  readonly status?: Partial<NodeStatus>;
  /** Conditions of the setter. Their times are kept by the node status. */
  readonly conditions?: readonly NodeConditionState[];
  /** Features of Kubernetes that the module brings to the node, for API servers and schedulers that must know. */
  readonly declaredFeatures?: readonly string[] | undefined;
  /** Reason why the node is not ready. It becomes part of the message of condition `Ready`. */
  readonly notReady?: string | undefined;
  /** Requirement that the node does not meet, although it is ready. It follows the message of condition `Ready` as a warning. */
  readonly warning?: string | undefined;
}

/** A condition without its times. */
export type NodeConditionState = Readonly<Required<Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>>>;
