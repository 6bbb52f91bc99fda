import type { WebhookAuthorizerOptions } from './access/authorizer.ts';
import type { EndpointSwitches } from './endpoints/kubelet-routes.ts';
import type { RequestTracer } from './listeners/request-tracer.ts';
import type { ServerContent } from './server-content.ts';
import type { SharedPort } from './tls/shared-https-server.ts';
import type { TlsSettings } from './tls/tls-settings.ts';

/** Options of the module `kubeletApi`, by the names of KubeletConfiguration. */
export interface KubeletApiOptions {
  readonly address: string;
  /** Port of HTTPS; `undefined`: only the plain ports are served. */
  readonly port: number | undefined;
  /** Port of a server that several agents share, in place of a server of their own: `address`, `port`, `tls` and the authorities of clients are the server's then. */
  readonly sharedPort?: SharedPort | undefined;
  /** Port without authentication; 0: none. */
  readonly readOnlyPort: number;
  readonly healthzBindAddress: string;
  /** 0: none. */
  readonly healthzPort: number;
  readonly tls: TlsSettings;
  readonly authentication: {
    /** File of the authorities of client certificates. Absent: certificates are not asked for. */
    readonly x509: { readonly clientCaFile?: string | undefined };
    /** Review of bearer tokens by the API server. */
    readonly webhook: { readonly enabled: boolean; readonly cacheTtlMs: number };
    readonly anonymous: { readonly enabled: boolean };
  };
  readonly authorization: {
    /** `AlwaysAllow` lets in everybody who is authenticated. */
    readonly mode: 'AlwaysAllow' | 'Webhook';
    readonly webhook: Omit<WebhookAuthorizerOptions, 'nodeName'>;
  };
  /** Feature gate KubeletFineGrainedAuthz. */
  readonly isFineGrained: boolean;
  /** Whether the permission to `get` the node's `proxy` opens streams to containers, as in the kubelet. Default: it takes the verb `create`. */
  readonly permitsStreamsByGet?: boolean;
  readonly switches: EndpointSwitches;
  readonly content: ServerContent;
  /** Traces the requests, except those about the health of the agent. Default: none are traced. */
  readonly tracer?: RequestTracer | undefined;
}
