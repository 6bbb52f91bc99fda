// Generated from Kubernetes 1.36.2 by tools/generate/kube-api; do not edit.

import type { RawExtension } from './apimachinery.ts';

export interface Condition {
  readonly lastTransitionTime: Time;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly reason: string;
  readonly status: string;
  readonly type: string;
}

export interface FieldSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** The set of fields that a manager owns: nested objects with keys such as `f:metadata`. */
export type FieldsV1 = Readonly<Record<string, unknown>>;

export interface LabelSelector {
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface ListMeta {
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly resourceVersion?: string;
  readonly selfLink?: string;
  readonly shardInfo?: ShardInfo;
}

export interface ManagedFieldsEntry {
  readonly apiVersion?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: FieldsV1;
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: Time;
}

/** RFC 3339 with six digits after the second, such as `2026-01-02T15:04:05.000000Z`. */
export type MicroTime = string;

export interface ObjectMeta {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: Time;
  readonly deletionGracePeriodSeconds?: number;
  readonly deletionTimestamp?: Time;
  readonly finalizers?: readonly string[];
  readonly generateName?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly name?: string;
  readonly namespace?: string;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly resourceVersion?: string;
  readonly selfLink?: string;
  readonly uid?: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly blockOwnerDeletion?: boolean;
  readonly controller?: boolean;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface ShardInfo {
  readonly selector: string;
}

export interface Status {
  readonly apiVersion?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
  readonly kind?: string;
  readonly message?: string;
  readonly metadata?: ListMeta;
  readonly reason?: string;
  readonly status?: string;
}

export interface StatusCause {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

export interface StatusDetails {
  readonly causes?: readonly StatusCause[];
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly retryAfterSeconds?: number;
  readonly uid?: string;
}

/** RFC 3339 in whole seconds, such as `2026-01-02T15:04:05Z`. */
export type Time = string;

export interface WatchEvent {
  readonly object: RawExtension;
  readonly type: string;
}
