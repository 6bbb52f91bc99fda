// Generated from Kubernetes 1.36.2 by tools/generate/kube-api; do not edit.

import type { ObjectMeta, Time } from './meta-v1.ts';

export interface CertificateSigningRequest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec: CertificateSigningRequestSpec;
  readonly status?: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  readonly lastTransitionTime?: Time;
  readonly lastUpdateTime?: Time;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface CertificateSigningRequestSpec {
  readonly expirationSeconds?: number;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly groups?: readonly string[];
  readonly request: string;
  readonly signerName: string;
  readonly uid?: string;
  readonly usages?: readonly KeyUsage[];
  readonly username?: string;
}

export interface CertificateSigningRequestStatus {
  readonly certificate?: string;
  readonly conditions?: readonly CertificateSigningRequestCondition[];
}

export type KeyUsage =
  | 'any'
  | 'cert sign'
  | 'client auth'
  | 'code signing'
  | 'content commitment'
  | 'crl sign'
  | 'data encipherment'
  | 'decipher only'
  | 'digital signature'
  | 'email protection'
  | 'encipher only'
  | 'ipsec end system'
  | 'ipsec tunnel'
  | 'ipsec user'
  | 'key agreement'
  | 'key encipherment'
  | 'microsoft sgc'
  | 'netscape sgc'
  | 'ocsp signing'
  | 's/mime'
  | 'server auth'
  | 'signing'
  | 'timestamping';
