import type { ObjectMeta } from './index.ts';

/** Trust anchors that signers publish to the whole cluster, of `certificates.k8s.io/v1beta1`; clusters serve it only where that is switched on. */
export interface ClusterTrustBundle {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: {
    /** Signer of the bundle. Default: it belongs to none. */
    readonly signerName?: string;
    /** Certificates as PEM text. */
    readonly trustBundle?: string;
  };
}

/** Request of a node for a certificate of a pod, of `certificates.k8s.io/v1beta1`; clusters serve it only where that is switched on. */
export interface PodCertificateRequest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: {
    readonly signerName: string;
    readonly podName: string;
    readonly podUID: string;
    readonly serviceAccountName: string;
    readonly serviceAccountUID: string;
    readonly nodeName: string;
    readonly nodeUID: string;
    readonly maxExpirationSeconds?: number;
    /** A signing request (PKCS #10, DER) without a subject, which proves that the node has the key; base64. */
    readonly stubPKCS10Request?: string;
    readonly unverifiedUserAnnotations?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    /** At most one of `Issued`, `Denied` and `Failed`. */
    readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
    /** PEM text. */
    readonly certificateChain?: string;
    readonly notBefore?: string;
    readonly beginRefreshAt?: string;
    readonly notAfter?: string;
  };
}
