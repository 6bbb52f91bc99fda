// Generated from Kubernetes 1.36.2 by tools/generate/kube-api; do not edit.

import type { Quantity } from './apimachinery.ts';
import type { Toleration } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export interface Overhead {
  readonly podFixed?: Readonly<Record<string, Quantity>>;
}

export interface RuntimeClass {
  readonly apiVersion?: string;
  readonly handler: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
}

export interface RuntimeClassList {
  readonly apiVersion?: string;
  readonly items: readonly RuntimeClass[];
  readonly kind?: string;
  readonly metadata?: ListMeta;
}

export interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}
