// Generated from Kubernetes 1.36.2 by tools/generate/kube-api; do not edit.

import type { ObjectMeta, Time } from './meta-v1.ts';

export interface BoundObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface TokenRequest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: TokenRequestSpec;
  readonly status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly boundObjectRef?: BoundObjectReference;
  readonly expirationSeconds?: number;
}

export interface TokenRequestStatus {
  readonly expirationTimestamp?: Time;
  readonly token?: string;
}

export interface TokenReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec: TokenReviewSpec;
  readonly status?: TokenReviewStatus;
}

export interface TokenReviewSpec {
  readonly audiences?: readonly string[];
  readonly token: string;
}

export interface TokenReviewStatus {
  readonly audiences?: readonly string[];
  readonly authenticated?: boolean;
  readonly error?: string;
  readonly user?: UserInfo;
}

export interface UserInfo {
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly username?: string;
}
