import type { Event, PodStatus } from '@rxlet/kube-api';
import { type NormalizedRequest, normalizeRequest } from './normalize.ts';
import type { ApiRequest } from './recording.ts';

/** Requests by what they are about. Order matters within a stream only: an agent and a kubelet do several things at a time. */
export type RequestStreams = Readonly<Record<string, readonly NormalizedRequest[]>>;

/** Splits requests into streams, in order. Watches are a stream for each resource and selector. */
export function requestStreams(requests: readonly ApiRequest[]): RequestStreams {
  const streams: Record<string, NormalizedRequest[]> = {};
  const parts = new Map<string, string>();
  for (const request of requests) {
    const normalized = normalizeRequest(request);
    const name = streamOf(normalized, partOf(request, parts));
    if (name !== undefined) (streams[name] ??= []).push(normalized);
  }
  for (const [name, stream] of Object.entries(streams)) {
    if (name.startsWith('pod ')) streams[name] = withoutReadsOfRejected(withoutIdleReads(stream));
    if (/^(leases|nodes|watch) ?/.test(name)) streams[name] = withoutRepeats(stream);
  }
  // Volumes are set up at the same time.
  streams['serviceaccounts']?.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
  return streams;
}

/** Leaves out reads that were followed by no change. Their number depends on how steps of the agent, which run at the same time, fall together. */
function withoutIdleReads(stream: readonly NormalizedRequest[]): NormalizedRequest[] {
  return stream.filter(({ method }, index) => method !== 'GET' || stream[index + 1]?.method === 'PATCH');
}

/** Leaves out reads before the status of a rejected pod, which the agent sends with one request. */
function withoutReadsOfRejected(stream: readonly NormalizedRequest[]): NormalizedRequest[] {
  return stream.filter(({ method }, index) => method !== 'GET' || !isRejection(stream[index + 1]));
}

function isRejection(request: NormalizedRequest | undefined): boolean {
  const { status } = (request?.body ?? {}) as { readonly status?: Partial<PodStatus> };
  return request?.method === 'PATCH' && status?.message?.startsWith('Pod was rejected: ') === true;
}

/** Leaves out requests that are equal to the one before: the number of renewals, attempts and new watches depends on random delays. */
function withoutRepeats(stream: readonly NormalizedRequest[]): NormalizedRequest[] {
  return stream.filter((request, index) => JSON.stringify(request) !== JSON.stringify(stream[index - 1]));
}

/** Returns the part of the object that an event is about: images are looked up ahead, so that containers have streams of their own. */
function partOf({ path, body }: ApiRequest, known: Map<string, string>): string {
  const { metadata, involvedObject } = (body ?? {}) as Partial<Event>;
  const name = metadata?.name ?? path.split('/').at(-1) ?? '';
  const part = involvedObject?.fieldPath;
  if (part !== undefined) known.set(name, part);
  return known.get(name) ?? '';
}

/** Returns the name of the stream; `undefined` for requests that another party causes. */
function streamOf({ method, path, query, body }: NormalizedRequest, part: string): string | undefined {
  const parts = path.split('/');
  const resource = parts.slice(parts[1] === 'api' ? 3 : 4);
  const [plural, name] = resource[0] === 'namespaces' ? resource.slice(2) : resource;
  const parameters = new URLSearchParams(query);
  if (parameters.has('watch')) return `watch ${path} ${parameters.get('fieldSelector') ?? ''}`.trim();
  switch (plural) {
    case 'events': {
      const subject =
        name?.replace(/\.<hex>$/, '') ?? (body as { involvedObject?: { name?: string } }).involvedObject?.name;
      return `events of ${subject ?? ''} ${part}`.trim();
    }
    case 'nodes':
      // Different parts of a node read it at the same time: the lease needs its owner as soon as the node is registered, ten seconds before that of a kubelet.
      if (method === 'GET') return parameters.has('timeout') ? 'nodes, read for heartbeats' : 'nodes, read';
      return 'nodes';
    case 'pods':
      return `pod ${name ?? (body as { metadata?: { name?: string } } | undefined)?.metadata?.name ?? ''}`.trim();
    case 'subjectaccessreviews':
    case 'tokenreviews':
      return undefined;
    default:
      return plural ?? path;
  }
}
