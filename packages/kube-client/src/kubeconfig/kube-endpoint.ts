/** Content of a credential: given directly, or a file that is read again when it changes. */
export type CredentialSource = { readonly pem: string } | { readonly file: string };

/** An API server, and how to reach and convince it. Files are absolute paths. */
export interface KubeEndpoint {
  /** URL of the API server; a path in it comes before those of requests. */
  readonly server: string;
  /** Authorities that may sign the server's certificate. Default: those of Node.js. */
  readonly ca?: CredentialSource | undefined;
  /** Name that the server's certificate must have. Default: the host of {@link KubeEndpoint.server}. */
  readonly tlsServerName?: string | undefined;
  /** Accepts any server certificate. */
  readonly isInsecure?: boolean | undefined;
  /** `http`, `https` or `socks5` URL. Default: that of the environment (`HTTPS_PROXY`, `NO_PROXY`). */
  readonly proxyUrl?: string | undefined;
  /** Asks the server not to compress its answers. */
  readonly isCompressionDisabled?: boolean | undefined;
  readonly clientCertificate?: { readonly certificate: CredentialSource; readonly key: CredentialSource } | undefined;
  /** Bearer token; a file wins over a token. */
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly basic?: { readonly username: string; readonly password: string } | undefined;
  readonly exec?: ExecPlugin | undefined;
  readonly impersonate?: Impersonation | undefined;
}

/** A program that prints credentials (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Appended to the error when the program does not exist. */
  readonly installHint: string | undefined;
  /** Cluster information for the program; `undefined` unless it asks for it. */
  readonly cluster: Readonly<Record<string, unknown>> | undefined;
}

/** Another user on whose behalf requests are made. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
