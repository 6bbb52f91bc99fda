// Generated from Kubernetes 1.36.2 by tools/generate/kube-api; do not edit.

import type { ListMeta, MicroTime, ObjectMeta } from './meta-v1.ts';

export interface Lease {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: LeaseSpec;
}

export interface LeaseList {
  readonly apiVersion?: string;
  readonly items: readonly Lease[];
  readonly kind?: string;
  readonly metadata?: ListMeta;
}

export interface LeaseSpec {
  readonly acquireTime?: MicroTime;
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly leaseTransitions?: number;
  readonly preferredHolder?: string;
  readonly renewTime?: MicroTime;
  readonly strategy?: string;
}
