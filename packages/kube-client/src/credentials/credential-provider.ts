import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isKubeError, KubeError, type TlsKeyPair } from '@rxlet/kube-api/client';
import {
  abortable,
  type Clock,
  createProblemLog,
  errorMessage,
  type Logger,
  noopLogger,
  withDeadline,
} from '@rxlet/component-base';
import type { CurrentValue } from '@rxlet/component-base/streams';
import type { HostFiles } from '@rxlet/node-files';
import type { CredentialSource, ExecPlugin, KubeEndpoint } from '../kubeconfig/kube-endpoint.ts';
import { type ExecCredential, execInfo, parseExecCredential } from './exec-credential.ts';
import type { RunPlugin } from './run-plugin.ts';

/** Certificates and key of a connection. */
export interface TlsMaterials {
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** Equal for equal materials. */
  readonly fingerprint: string;
}

/** Current credentials of an endpoint. */
export interface Credentials {
  /** The endpoint, as it was last read. */
  readonly endpoint: KubeEndpoint;
  readonly tls: TlsMaterials;
  /** Headers of authentication and impersonation; several values of one header are a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** Reads credentials, and reads them again when they may have changed. */
export interface CredentialProvider {
  /** Returns the current credentials. Rejects with a `KubeError` of reason `InvalidCredentials`, or with the reason of `signal` as soon as it aborts. */
  current(signal: AbortSignal): Promise<Credentials>;
  /** The credentials were rotated: the next call reads them again. */
  invalidate(): void;
  /**
   * The API server rejected the credentials: the next call reads them again. After an issued client certificate come the endpoint's own credentials, where it has any, and the
   * other way round: the authority may have been replaced, and the kubeconfig with it.
   */
  reject(): void;
}

/** The outside world of a {@link CredentialProvider}. */
export interface CredentialPorts {
  readonly clock: Clock;
  readonly hostFiles: HostFiles;
  readonly runPlugin: RunPlugin;
  /** Ends a plugin that runs. Default: it runs until its deadline. */
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
  /** Reads the endpoint again. After a failure, the last one stays. Default: the endpoint does not change. */
  readonly readEndpoint?: (() => Promise<KubeEndpoint>) | undefined;
  /** Takes the place of the endpoint's own credentials; without a value, nothing is sent. */
  readonly clientCertificate?: CurrentValue<TlsKeyPair | undefined> | undefined;
}

/** Longest time for which content of files is used without reading it again. */
const REREAD_MS = 10_000;
const MAX_FILE_BYTES = 1024 * 1024;
const PLUGIN_TIMEOUT_MS = 60_000;
/** Shortest time between two runs of a plugin that fails, or whose credentials are rejected. */
const PLUGIN_RETRY_MS = 1000;

/** Creates a {@link CredentialProvider}. Concurrent calls share one reading. */
export function createCredentialProvider(ports: CredentialPorts, given: KubeEndpoint): CredentialProvider {
  const { clock, clientCertificate: issued, logger = noopLogger } = ports;
  const problems = createProblemLog(logger);
  let endpoint = given;
  /** Whether the given endpoint was used. It is read again from then on, also when its credentials could not be read. */
  let wasGivenUsed = false;
  let plugin = given.exec && createPluginCredentials(ports, given.exec);
  let cached: { readonly content: CredentialContent; readonly readMs: number } | undefined;
  let pending: Promise<CredentialContent> | undefined;
  let built:
    | { readonly content: CredentialContent; readonly pair: TlsKeyPair | undefined; readonly credentials: Credentials }
    | undefined;
  /** The issued certificate that the API server rejected: the endpoint's own credentials are used in its place. */
  let rejectedPair: TlsKeyPair | undefined;
  let lastRejectionMs = -Infinity;
  const usesOwn = (): boolean => issued === undefined || (rejectedPair !== undefined && rejectedPair === issued.value);

  const rereadEndpoint = async (): Promise<void> => {
    const isFirst = !wasGivenUsed;
    wasGivenUsed = true;
    if (ports.readEndpoint === undefined || isFirst) return;
    try {
      const next = await ports.readEndpoint();
      problems.ended();
      if (!isDeepStrictEqual(next.exec, endpoint.exec)) plugin = next.exec && createPluginCredentials(ports, next.exec);
      endpoint = next;
    } catch (error) {
      problems.failed('cannot read the kubeconfig again; its last content is used', { error: errorMessage(error) });
    }
  };
  const read = async (): Promise<CredentialContent> => {
    const nowMs = clock.monotonicNow();
    await rereadEndpoint();
    const isOwn = usesOwn();
    const { clientCertificate, ca, tokenFile, token } = isOwn ? endpoint : withoutCredentials(endpoint);
    const fromPlugin = isOwn ? await plugin?.current() : undefined;
    const [caPem, certificate, key, fileToken] = await Promise.all([
      readSource(ports.hostFiles, ca, 'certificate authority'),
      readSource(ports.hostFiles, clientCertificate?.certificate, 'client certificate'),
      readSource(ports.hostFiles, clientCertificate?.key, 'client key'),
      readSource(ports.hostFiles, tokenFile === undefined ? undefined : { file: tokenFile }, 'token'),
    ]);
    // A file that is written in place is empty for a moment. Without its last token, requests would be anonymous.
    const lastBearer = tokenFile !== undefined && plugin === undefined ? cached?.content.bearer : undefined;
    const bearer = fileToken?.trim() || lastBearer || token || fromPlugin?.token;
    const content = {
      endpoint,
      isOwn,
      ca: caPem,
      certificate: fromPlugin?.certificatePem ?? certificate,
      key: fromPlugin?.keyPem ?? key,
      bearer,
    };
    cached = { content, readMs: nowMs };
    return content;
  };
  const currentContent = async (): Promise<CredentialContent> => {
    const isFresh =
      cached !== undefined &&
      cached.content.isOwn === usesOwn() &&
      clock.monotonicNow() - cached.readMs < REREAD_MS &&
      !(cached.content.isOwn && plugin?.isExpired() === true);
    if (isFresh) return cached!.content;
    pending ??= read().finally(() => (pending = undefined));
    try {
      return await pending;
    } catch (error) {
      // A rotation may be half done. The credentials before it are as good as they were.
      if (cached !== undefined && isKubeError(error, 'InvalidCredentials')) return cached.content;
      throw error;
    }
  };
  const build = (content: CredentialContent, pair: TlsKeyPair | undefined): Credentials => {
    if (built?.content === content && built.pair === pair) return built.credentials;
    const { ca, bearer, isOwn } = content;
    const materials = {
      ca,
      certificate: pair?.certificatePem ?? content.certificate,
      key: pair?.keyPem ?? content.key,
    };
    const { server, tlsServerName, isInsecure = false, proxyUrl } = content.endpoint;
    const identity = JSON.stringify([materials, server, tlsServerName, isInsecure, proxyUrl]);
    const fingerprint = createHash('sha256').update(identity).digest('hex');
    const headers = headersOf(isOwn ? content.endpoint : {}, bearer);
    const credentials = { endpoint: content.endpoint, tls: { ...materials, fingerprint }, headers };
    built = { content, pair, credentials };
    return credentials;
  };
  const invalidate = (): void => {
    if (cached !== undefined) cached = { ...cached, readMs: -Infinity };
  };

  return {
    async current(signal) {
      signal.throwIfAborted();
      // The reading goes on for other callers.
      const content = await abortable(currentContent(), signal);
      if (content.isOwn) return build(content, undefined);
      const pair = issued?.value;
      if (pair !== undefined) return build(content, pair);
      throw new KubeError('InvalidCredentials', 'the node has no valid client certificate yet');
    },
    invalidate() {
      invalidate();
      plugin?.invalidate();
    },
    reject() {
      invalidate();
      plugin?.invalidate();
      // Requests in flight are rejected with the same credentials.
      if (clock.monotonicNow() - lastRejectionMs < REREAD_MS) return;
      lastRejectionMs = clock.monotonicNow();
      if (issued?.value === undefined || !hasCredentials(endpoint)) return;
      rejectedPair = usesOwn() ? undefined : issued.value;
    },
  };
}

/** Content of files, and output of plugins. */
interface CredentialContent {
  readonly endpoint: KubeEndpoint;
  /** Whether the endpoint's own credentials are used, and no issued certificate. */
  readonly isOwn: boolean;
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly bearer: string | undefined;
}

interface PluginCredentials {
  current(): Promise<ExecCredential>;
  isExpired(): boolean;
  invalidate(): void;
}

function createPluginCredentials({ clock, runPlugin, signal }: CredentialPorts, plugin: ExecPlugin): PluginCredentials {
  let cached: ExecCredential | undefined;
  let lastRunMs = -Infinity;
  let failure: { readonly error: unknown; readonly atMs: number } | undefined;
  const isExpired = (): boolean => cached === undefined || (cached.expiresMs ?? Infinity) <= clock.now();
  return {
    isExpired,
    invalidate() {
      // A storm of rejections must not become a storm of processes.
      if (clock.monotonicNow() - lastRunMs >= PLUGIN_RETRY_MS) cached = undefined;
    },
    async current() {
      if (!isExpired()) return cached!;
      if (failure !== undefined && clock.monotonicNow() - failure.atMs < PLUGIN_RETRY_MS) throw failure.error;
      lastRunMs = clock.monotonicNow();
      try {
        const env = { ...plugin.env, KUBERNETES_EXEC_INFO: execInfo(plugin) };
        const output = await withDeadline(clock, PLUGIN_TIMEOUT_MS, signal, (bounded) =>
          runPlugin(plugin.command, plugin.args, env, bounded),
        );
        cached = parseExecCredential(plugin, output);
        failure = undefined;
        return cached;
      } catch (error) {
        const wrapped = isKubeError(error) ? error : pluginError(plugin, error);
        failure = { error: wrapped, atMs: clock.monotonicNow() };
        throw wrapped;
      }
    },
  };
}

function pluginError({ command, installHint }: ExecPlugin, error: unknown): KubeError {
  const isMissing = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';
  // The message of a failed process quotes its command line and what it printed.
  const { code, signal } = (error ?? {}) as { code?: unknown; signal?: unknown };
  const cause = isMissing
    ? `it does not exist${installHint ? `\n${installHint}` : ''}`
    : typeof code === 'number'
      ? `it exited with ${String(code)}`
      : typeof signal === 'string'
        ? `it was ended by ${signal}`
        : errorMessage(error).split('\n')[0]!;
  return new KubeError('InvalidCredentials', `cannot run exec plugin ${command}: ${cause}`, { cause: error });
}

async function readSource(
  hostFiles: HostFiles,
  source: CredentialSource | undefined,
  subject: string,
): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if ('pem' in source) return source.pem;
  const fail = (cause: string, error?: unknown): never => {
    throw new KubeError('InvalidCredentials', `cannot read the ${subject} ${source.file}: ${cause}`, { cause: error });
  };
  try {
    const file = await hostFiles.read(source.file, MAX_FILE_BYTES);
    return file === undefined ? fail('the file does not exist') : Buffer.from(file.bytes).toString();
  } catch (error) {
    if (isKubeError(error)) throw error;
    return fail(errorMessage(error), error);
  }
}

function headersOf({ basic, impersonate }: Partial<KubeEndpoint>, bearer: string | undefined): Credentials['headers'] {
  const authorization =
    bearer !== undefined
      ? `Bearer ${bearer}`
      : basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
  const extra = Object.entries(impersonate?.extra ?? {}).map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`, values] as const,
  );
  return {
    ...(authorization !== undefined && { authorization }),
    ...(impersonate && { 'impersonate-user': impersonate.user }),
    ...(impersonate?.uid !== undefined && { 'impersonate-uid': impersonate.uid }),
    ...(impersonate && impersonate.groups.length > 0 && { 'impersonate-group': impersonate.groups }),
    ...Object.fromEntries(extra),
  };
}

function hasCredentials({ clientCertificate, token, tokenFile, basic, exec }: KubeEndpoint): boolean {
  return [clientCertificate, token, tokenFile, basic, exec].some((each) => each !== undefined);
}

/** Returns an endpoint that sends neither a certificate nor a token. */
function withoutCredentials({
  server,
  ca,
  tlsServerName,
  isInsecure,
  proxyUrl,
  isCompressionDisabled,
}: KubeEndpoint): KubeEndpoint {
  return { server, ca, tlsServerName, isInsecure, proxyUrl, isCompressionDisabled };
}
