import { KubeError } from '@rxlet/kube-api/client';
import type { ExecPlugin } from '../kubeconfig/kube-endpoint.ts';

/** Credentials that a plugin printed. */
export interface ExecCredential {
  readonly token: string | undefined;
  readonly certificatePem: string | undefined;
  readonly keyPem: string | undefined;
  /** Milliseconds since the epoch; `undefined`: until the API server rejects them. */
  readonly expiresMs: number | undefined;
}

/** Returns the value of `KUBERNETES_EXEC_INFO` for a plugin. */
export function execInfo({ apiVersion, cluster }: ExecPlugin): string {
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion,
    spec: { interactive: false, ...(cluster !== undefined && { cluster }) },
  });
}

/** Reads the output of a plugin. The output is never part of a message. @throws KubeError when it has no credentials */
export function parseExecCredential({ apiVersion, command }: ExecPlugin, output: string): ExecCredential {
  const fail = (cause: string): never => {
    throw new KubeError('InvalidCredentials', `cannot use the credentials of exec plugin ${command}: ${cause}`);
  };
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    return fail('its output is no JSON');
  }
  const credential = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly kind?: unknown;
    readonly apiVersion?: unknown;
    readonly status?: Readonly<Record<string, unknown>>;
  };
  if (credential.kind !== 'ExecCredential') fail('its output is no ExecCredential');
  if (credential.apiVersion !== apiVersion) {
    fail(`it returned apiVersion ${JSON.stringify(credential.apiVersion)}, expected "${apiVersion}"`);
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } =
    credential.status ?? fail('it returned no status');
  const text = (given: unknown): string | undefined => (typeof given === 'string' && given !== '' ? given : undefined);
  const [certificatePem, keyPem] = [text(clientCertificateData), text(clientKeyData)];
  if (text(token) === undefined && certificatePem === undefined) fail('it returned neither a token nor a certificate');
  if ((certificatePem === undefined) !== (keyPem === undefined))
    fail('it returned a certificate without a key, or a key without a certificate');
  const expiresMs = text(expirationTimestamp) === undefined ? undefined : Date.parse(text(expirationTimestamp)!);
  if (expiresMs !== undefined && Number.isNaN(expiresMs)) fail('its expirationTimestamp is no time');
  return { token: text(token), certificatePem, keyPem, expiresMs };
}
