import type { Clock } from '@rxlet/component-base';
import { podUid } from '@rxlet/pod-model';
import type { PodProvider } from '../pod-provider.ts';
import { ProviderError } from '../provider-error.ts';
import type { ProviderPodChange } from '../provider-pod.ts';
import { requestService, type ServiceAccess, type ServiceRequest } from './http-pod-service.ts';

/** Options of {@link createHttpProvider}. */
export interface HttpProviderOptions {
  /** URL of the service, such as `https://jobs.example/v1`. */
  readonly url: string;
  /** Header fields of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the provider. Default: `http`. */
  readonly name?: string;
  /**
   * Time without a byte after which a connection counts as lost. The service must send a line of its pods, which may be empty, more often. A log that is followed may be
   * silent. Default: one minute.
   */
  readonly idleTimeoutMs?: number;
}

/** Longest line of the stream of pods. A snapshot is one line. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Creates a provider whose pods run in a service with this HTTP API, in any language. Bodies are JSON; an error is `{ "reason", "message" }` with the reasons of
 * {@link ProviderError}.
 *
 * | request | answer |
 * | --- | --- |
 * | `GET /pods` | a stream of lines, each a {@link ProviderPodChange} or empty |
 * | `PUT /pods/UID` with the Pod | 2xx once it is accepted; the same pod again, or a changed one, is an update |
 * | `DELETE /pods/UID?gracePeriodSeconds=N` | 2xx once its end is accepted |
 * | `GET /pods/UID/containers/NAME/log?follow=true&tailLines=10…` | the log, with the parameters of PodLogOptions |
 *
 * @example
 * ```ts
 * import { systemClock } from '@rxlet/component-base';
 * import { createVirtualNode } from '@rxlet/virtual-node';
 * import { createHttpProvider } from '@rxlet/virtual-node/http';
 *
 * const provider = createHttpProvider({ clock: systemClock }, { url: 'http://127.0.0.1:8080' });
 * await using node = await createVirtualNode(provider, { name: 'jobs' });
 * ```
 */
export function createHttpProvider({ clock }: { readonly clock: Clock }, options: HttpProviderOptions): PodProvider {
  const { headers = {}, name = 'http', idleTimeoutMs = 60_000 } = options;
  const access: ServiceAccess = { clock, url: options.url.replace(/\/+$/, ''), headers, idleTimeoutMs };
  const send = async (request: ServiceRequest): Promise<void> => {
    // The answer has nothing to read.
    for await (const _chunk of requestService(access, request));
  };
  const pathOf = (uid: string): string => `/pods/${encodeURIComponent(uid)}`;
  const put: PodProvider['create'] = (pod, { signal }) =>
    send({ method: 'PUT', path: pathOf(podUid(pod)), body: pod, signal });
  return {
    name,
    async *watch(signal) {
      for await (const line of linesOf(requestService(access, { method: 'GET', path: '/pods', signal })))
        if (line.trim() !== '') yield parseChange(line);
    },
    create: put,
    update: put,
    delete: ({ uid }, { gracePeriodSeconds, signal }) =>
      send({
        method: 'DELETE',
        path: `${pathOf(uid)}?gracePeriodSeconds=${String(gracePeriodSeconds)}`,
        signal,
      }),
    logs({ pod, container }, { signal, sinceMs, ...query }) {
      const parameters = new URLSearchParams();
      for (const [key, value] of Object.entries(query))
        if (value !== undefined && value !== false) parameters.set(key, String(value));
      if (sinceMs !== undefined) parameters.set('sinceTime', new Date(sinceMs).toISOString());
      const path = `${pathOf(pod.uid)}/containers/${encodeURIComponent(container)}/log?${parameters.toString()}`;
      return requestService(access, { method: 'GET', path, mayPause: query.follow, signal });
    },
  };
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      yield parts.join('') + line;
      parts.length = 0;
      bytes = 0;
    }
    parts.push(last);
    bytes += last.length;
    if (bytes > MAX_LINE_BYTES) throw new ProviderError('Unavailable', 'a line of the service is too long');
  }
}

/** Parses a change, as far as the agent must rely on its shape. */
function parseChange(line: string): ProviderPodChange {
  const change = JSON.parse(line) as ProviderPodChange;
  const isPod = (pod: { uid?: unknown; name?: unknown; namespace?: unknown; containers?: unknown }): boolean =>
    [pod.uid, pod.name, pod.namespace].every((text) => typeof text === 'string' && text !== '') &&
    Array.isArray(pod.containers);
  const isValid =
    (change.type === 'snapshot' && Array.isArray(change.pods) && change.pods.every(isPod)) ||
    (change.type === 'changed' && isPod(change.pod)) ||
    (change.type === 'removed' && typeof change.uid === 'string');
  if (!isValid) throw new ProviderError('Unavailable', `the service sent no change of a pod: ${line.slice(0, 200)}`);
  return change;
}
