import { createGunzip } from 'node:zlib';
import { KubeError, type TlsKeyPair } from '@rxlet/kube-api/client';
import {
  type Clock,
  createLifetime,
  createProblemLog,
  DeadlineExceededError,
  errorMessage,
  type Logger,
  noopLogger,
  onAbort,
  type Timer,
} from '@rxlet/component-base';
import { type CurrentValue, follow } from '@rxlet/component-base/streams';
import { createHostFiles, type HostFiles } from '@rxlet/node-files';
import type { Dispatcher } from 'undici';
import { createCredentialProvider, type Credentials } from '../credentials/credential-provider.ts';
import { type RunPlugin, runPluginProcess } from '../credentials/run-plugin.ts';
import type { KubeEndpoint } from '../kubeconfig/kube-endpoint.ts';
import { createDispatcher } from './create-dispatcher.ts';
import type { KubeTransport, TransportRequest, TransportResponse } from './kube-transport.ts';
import { resetByCancel } from './reset-by-cancel.ts';

/** The outside world of a transport. */
export interface UndiciTransportPorts {
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Default: the host's files. */
  readonly hostFiles?: HostFiles;
  /** Default: processes. */
  readonly runPlugin?: RunPlugin;
  /**
   * Reads the endpoint again, as from a kubeconfig that may have been replaced. It is called within a minute, and every ten seconds while there are requests. A changed endpoint
   * replaces all connections; after a failure, the last one stays. Default: the endpoint does not change.
   */
  readonly readEndpoint?: () => Promise<KubeEndpoint>;
  /**
   * Client certificate that takes the place of the endpoint's credentials. Requests fail with `InvalidCredentials` while there is none; each new one replaces all
   * connections. When the API server rejects it, the endpoint's credentials are used in turn. Default: the endpoint's credentials.
   */
  readonly clientCertificate?: CurrentValue<TlsKeyPair | undefined> | undefined;
  /** Variables that name a proxy. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A transport with connections of its own. */
export interface UndiciTransport extends KubeTransport, AsyncDisposable {
  /**
   * Reads the credentials again, and replaces all connections if the client certificate or the authorities changed: watches end and resume on new connections, other
   * requests finish on the old ones. Without a call, rotated files are noticed within a minute.
   */
  reload(): Promise<void>;
}

const CHECK_MS = 60_000;
/** Time for an answer of a connection that may be dead, and again for the PING that follows. */
const PROBE_TIMEOUT_MS = 3000;

/** Connections with the same TLS materials, and the requests that last on them. */
interface Generation {
  readonly fingerprint: string;
  readonly base: URL;
  readonly dispatcher: Dispatcher;
  readonly retired: AbortController;
  isProbed: boolean;
}

/** Creates a transport over HTTP/2 or HTTP/1.1. It opens no connection before the first request. */
export function createUndiciTransport(ports: UndiciTransportPorts, endpoint: KubeEndpoint): UndiciTransport {
  const {
    clock,
    logger = noopLogger,
    hostFiles = createHostFiles(),
    runPlugin = runPluginProcess,
    env = process.env,
    clientCertificate,
  } = ports;
  const lifetime = createLifetime();
  const resets = resetByCancel();
  lifetime.defer(() => resets[Symbol.dispose]());
  const provider = createCredentialProvider(
    {
      clock,
      logger,
      hostFiles,
      runPlugin,
      signal: lifetime.signal,
      clientCertificate,
      readEndpoint: ports.readEndpoint,
    },
    endpoint,
  );
  let generation: Generation | undefined;
  let timer: Timer | undefined;
  const problems = createProblemLog(logger);
  lifetime.defer(async () => {
    timer?.[Symbol.dispose]();
    await generation?.dispatcher.destroy();
  });

  const use = ({ tls, endpoint: latest }: Credentials): Generation => {
    lifetime.signal.throwIfAborted();
    if (generation?.fingerprint === tls.fingerprint) return generation;
    const previous = generation;
    generation = {
      fingerprint: tls.fingerprint,
      base: new URL(latest.server),
      dispatcher: createDispatcher(latest, tls, env),
      retired: new AbortController(),
      isProbed: false,
    };
    if (previous !== undefined) {
      logger.info('the credentials of the API server changed: connections are replaced');
      previous.retired.abort(new Error('the credentials changed'));
      // Waits for short requests, whose outcome would be unknown otherwise.
      previous.dispatcher
        .close()
        .catch((error: unknown) => logger.debug('cannot close connections', { error: errorMessage(error) }));
    }
    return generation;
  };

  const check = async (): Promise<void> => {
    try {
      use(await provider.current(lifetime.signal));
      problems.ended();
    } catch (error) {
      if (lifetime.signal.aborted) return;
      problems.failed('cannot read the credentials of the API server', { error: errorMessage(error) });
    }
  };
  const follower =
    clientCertificate &&
    follow(clientCertificate.value$, {
      task: 'replacing the client certificate',
      logger,
      // Before the first request there are no connections to replace.
      next: (pair) => void (pair !== undefined && generation !== undefined && lifetime.track(check())),
    });
  lifetime.defer(() => follower?.unsubscribe());
  const scheduleCheck = (): void => {
    timer = clock.setTimer(CHECK_MS, () => {
      lifetime.track(check().finally(scheduleCheck)).catch(() => undefined);
    });
    if (lifetime.signal.aborted) timer[Symbol.dispose]();
  };

  /**
   * Checks the connection after a request without an answer. When a network drops it silently, all requests share its fate: this one times out, upon which undici sends a
   * PING and replaces the connection if that is not answered either.
   */
  const probe = async (suspect: Generation): Promise<void> => {
    if (suspect.isProbed || suspect.retired.signal.aborted) return;
    suspect.isProbed = true;
    try {
      const timeouts = { headersTimeout: PROBE_TIMEOUT_MS, bodyTimeout: PROBE_TIMEOUT_MS };
      const { base } = suspect;
      const path = `${base.pathname === '/' ? '' : base.pathname}/livez`;
      const request = { origin: base.origin, path, method: 'GET', signal: lifetime.signal, ...timeouts } as const;
      await (await suspect.dispatcher.request(request)).body.dump();
    } catch (error) {
      if (!lifetime.signal.aborted) logger.warn('the API server does not answer', { error: errorMessage(error) });
    } finally {
      suspect.isProbed = false;
    }
  };

  const send = async ({ method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> => {
    const credentials = await provider.current(signal);
    const current = use(credentials);
    const { base, dispatcher, retired } = current;
    if (timer === undefined) scheduleCheck();
    const isWatch = /[?&]watch=true(&|$)/.test(path);
    const listener = onAbort(signal, (reason) => {
      if (reason instanceof DeadlineExceededError) lifetime.track(probe(current)).catch(() => undefined);
    });
    const options: Dispatcher.RequestOptions = {
      origin: base.origin,
      path: base.pathname === '/' ? path : `${base.pathname}${path}`,
      method,
      headers: {
        ...headers,
        ...(credentials.endpoint.isCompressionDisabled !== true && { 'accept-encoding': 'gzip' }),
        ...(credentials.headers as Record<string, string | string[]>),
      },
      body: body ?? null,
      // All requests end before the connections are destroyed: undici may report the loss of a stream that is in use where nothing can handle it.
      signal: AbortSignal.any(isWatch ? [signal, lifetime.signal, retired.signal] : [signal, lifetime.signal]),
      // The caller has the deadlines.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    let response;
    try {
      response = await dispatcher.request(options);
    } finally {
      listener[Symbol.dispose]();
    }
    // The iteration of the caller reports it.
    response.body.on('error', () => undefined);
    if (response.statusCode === 401) provider.reject();
    const isCompressed = response.headers['content-encoding'] === 'gzip';
    return {
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
      ),
      body: isCompressed ? decompressed(response.body) : response.body,
    };
  };

  return {
    host: new URL(endpoint.server).host,
    async send(request) {
      if (lifetime.signal.aborted) throw new KubeError('Unreachable', 'the client is closed');
      return send(request);
    },
    async reload() {
      provider.invalidate();
      use(await provider.current(lifetime.signal));
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function decompressed(body: Dispatcher.ResponseData['body']): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  body.on('error', (error) => gunzip.destroy(error));
  gunzip.on('close', () => body.destroy());
  // The iteration of the caller reports it.
  gunzip.on('error', () => undefined);
  return body.pipe(gunzip);
}
