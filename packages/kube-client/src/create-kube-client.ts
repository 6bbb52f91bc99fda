import type {
  DeleteOptions,
  KubeClient,
  KubeObject,
  KubePatch,
  ListSelector,
  SubresourceOptions,
  WriteOptions,
} from '@rxlet/kube-api/client';
import { type Clock, type Logger, noopLogger, type Random } from '@rxlet/component-base';
import { formatGoDuration } from '@rxlet/component-base/go';
import type { Metrics } from '@rxlet/component-base/metrics';
import { apiVersionOf, type KubeResource } from '@rxlet/kube-api/resources';
import { listAll } from './request/list-all.ts';
import { createRequestMetrics } from './request/request-metrics.ts';
import { createRequestPacer, unpaced } from './request/request-pacer.ts';
import { collectionPath, objectPath, type QueryParameters, withQuery } from './request/request-path.ts';
import { createRequestSender } from './request/request-sender.ts';
import { createServerState, type ServerState } from './request/server-state.ts';
import type { KubeTransport } from './transport/kube-transport.ts';
import { createObjectWatch } from './watch/create-object-watch.ts';
import { createWatchMetrics } from './watch/watch-metrics.ts';

/** The outside world of a client. */
export interface KubeClientPorts {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Registry of `rest_client_*`. Default: no metrics. */
  readonly metrics?: Metrics | undefined;
}

/** Options of {@link createKubeClient}. */
export interface KubeClientOptions {
  /** See `userAgent`; its first part is the owner of the fields that the client writes. */
  readonly userAgent: string;
  /** Requests a second in the long run, and at once. Default: no limit. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  /** Deadline of each request, in milliseconds. Default: 60 s, as the API server's own. */
  readonly timeoutMs?: number;
  /** Sends the deadline along (`?timeout=10s`), so that the API server gives up too. Retries of a request then share its deadline, as in client-go. */
  readonly sendsTimeout?: boolean;
}

const DEFAULT_TIMEOUT_MS = 60_000;

const JSON_TYPE = 'application/json';
const PATCH_TYPES: Readonly<Record<KubePatch['type'], string>> = {
  strategic: 'application/strategic-merge-patch+json',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/**
 * Creates a client. It opens no connection before its first request.
 *
 * @example
 * ```ts
 * import { seededRandom } from '@rxlet/component-base';
 * import { createVirtualClock } from '@rxlet/component-base/testing';
 * import { admin, createFakeKube } from '@rxlet/fake-kube';
 * import { resources } from '@rxlet/kube-api/resources';
 * import { createKubeClient, type KubeTransport } from '@rxlet/kube-client';
 *
 * const [clock, random] = [createVirtualClock(), seededRandom(1)];
 * await using kube = createFakeKube({ clock, random });
 * const transport: KubeTransport = { send: (request) => kube.handle({ ...request, user: admin }) };
 * const client = createKubeClient({ transport, clock, random }, { userAgent: 'example/v1' });
 * await client.create(resources.configMaps, { metadata: { name: 'settings', namespace: 'default' } });
 * ```
 */
export function createKubeClient(ports: KubeClientPorts, options: KubeClientOptions): KubeClient {
  return createStatefulClient(ports, createServerState(ports.clock, ports.logger ?? noopLogger), options);
}

/** Creates a client that shares what is known of the API server with others. */
export function createStatefulClient(
  { transport, clock, random, logger = noopLogger, metrics }: KubeClientPorts,
  state: ServerState,
  { userAgent, rateLimit, timeoutMs = DEFAULT_TIMEOUT_MS, sendsTimeout = false }: KubeClientOptions,
): KubeClient {
  const pacer = rateLimit === undefined ? unpaced : createRequestPacer(clock, rateLimit.perSecond, rateLimit.burst);
  const sender = createRequestSender(
    { transport, clock, pacer, state, metrics: metrics && createRequestMetrics(metrics, transport.host ?? '') },
    { userAgent, timeoutMs, totalTimeoutMs: sendsTimeout ? timeoutMs : undefined },
  );
  const watchMetrics = metrics && createWatchMetrics(metrics, state);
  const timeout = sendsTimeout ? formatGoDuration(timeoutMs) : undefined;
  const never = new AbortController().signal;

  const write = async <T>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    parameters: QueryParameters,
    {
      body,
      contentType = JSON_TYPE,
      signal = never,
    }: { body?: unknown; contentType?: string; signal?: AbortSignal | undefined },
  ): Promise<T> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return (await sender.send({
      method,
      path: withQuery(path, { ...parameters, timeout }),
      contentType,
      body: text,
      signal,
    })) as T;
  };
  const typed = <T extends KubeObject>(resource: KubeResource<T>, object: T): T => ({
    ...object,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
  });

  return {
    get: async (resource, ref, { resourceVersion, signal = never } = {}) =>
      (await sender.send({
        method: 'GET',
        path: withQuery(objectPath(resource, ref), { resourceVersion, timeout }),
        signal,
      })) as never,
    list: (resource, options = {}) => listAll(sender, resource, options, options.signal ?? never),
    create(resource, object, { fieldManager, signal }: WriteOptions = {}) {
      const path = collectionPath(resource, namespaceOf(resource, object));
      return write('POST', path, { fieldManager }, { body: typed(resource, object), signal });
    },
    createSubresource: ({ resource, name }, ref, body, { fieldManager, signal } = {}) =>
      write('POST', objectPath(resource, ref, name), { fieldManager }, { body, signal }),
    update(resource, object, { subresource, fieldManager, signal }: SubresourceOptions = {}) {
      const { name = '', namespace } = object.metadata ?? {};
      const path = objectPath(resource, { name, namespace }, subresource);
      return write('PUT', path, { fieldManager }, { body: typed(resource, object), signal });
    },
    patch(resource, ref, patch, { subresource, fieldManager, signal } = {}) {
      const force = patch.type === 'apply' ? patch.force : undefined;
      const contentType = PATCH_TYPES[patch.type];
      return write(
        'PATCH',
        objectPath(resource, ref, subresource),
        { fieldManager, force },
        { body: patch.body, contentType, signal },
      );
    },
    async delete(resource, ref, options = {}) {
      await write(
        'DELETE',
        objectPath(resource, ref),
        {},
        {
          body: deletionBody(resource, options),
          signal: options.signal,
        },
      );
    },
    async deleteCollection(
      resource,
      { namespace, fieldSelector, labelSelector, ...options }: ListSelector & DeleteOptions,
    ) {
      const path = collectionPath(resource, namespace);
      await write(
        'DELETE',
        path,
        { fieldSelector, labelSelector },
        { body: deletionBody(resource, options), signal: options.signal },
      );
    },
    watch: (resource, options = {}) =>
      createObjectWatch({ sender, state, clock, random, logger, metrics: watchMetrics }, resource, options),
  };
}

/** @throws TypeError for an object without a namespace of a resource that needs one */
function namespaceOf(resource: KubeResource<unknown>, { metadata }: KubeObject): string | undefined {
  if (resource.isNamespaced && !metadata?.namespace) {
    throw new TypeError(`cannot create one of the ${resource.plural} without a namespace`);
  }
  return metadata?.namespace;
}

function deletionBody(resource: KubeResource<unknown>, { signal: _, ...options }: DeleteOptions): object {
  return { kind: 'DeleteOptions', apiVersion: apiVersionOf(resource), ...options };
}
