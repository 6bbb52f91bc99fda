import type { ApiRequest } from './recording.ts';

/** A request without names and times that differ from run to run. */
export interface NormalizedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body?: unknown;
}

/** Values that differ from run to run, in recordings and in bodies of the agent, with what stands for them. The first match counts. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/<(time|uid|rv|id|hex|token|pem|sfx)(-\d+)?>/g, '<$1>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\b(10\.89\.0|10\.244\.0|192\.0\.2)\.\d+\b/g, '<ip>'],
  [/\b[0-9a-f]{64}\b/g, '<id>'],
  // Of the recorded manifest's path and of ours.
  [/\b[0-9a-f]{32}\b/g, '<hash>'],
  // Words of the program and of the runtime's client.
  [/the fake runtime has stopped|rpc error: code = Unavailable desc = connection error: .*/g, '<runtime is gone>'],
  [/cat: (can't open )?'?\/tmp\/r'?: No such/g, 'cat: /tmp/r: No such'],
  [/(?<=metadata\.name(=|%3D))(<csr-\d+>|csr-[a-z0-9]{5}$|csr-[a-z0-9]{5}(?=&))/g, '<csr>'],
  // Names of one image.
  [/agnhost:2\.55/g, 'agnhost:2.63.0'],
  [/(\/events\/[^/.]+)\.(<hex>|[0-9a-f]{6,})$/g, '$1.<hex>'],
];

/** The agent deletes mirror pods by their UID, too. */
const WITH_UID = { uid: '<uid>' };

/** Returns the request in the form in which requests of a kubelet and of the agent are equal. */
export function normalizeRequest({ method, path, query, body }: ApiRequest): NormalizedRequest {
  return {
    method,
    path: replaceVariable(path),
    query: normalizeQuery(query),
    ...(body !== undefined && { body: normalizeValue(body) }),
  };
}

function normalizeQuery(query: string): string {
  const parameters = new URLSearchParams(query);
  if (parameters.has('timeoutSeconds')) {
    parameters.set('timeoutSeconds', '<n>');
    // Says the same as timeoutSeconds.
    parameters.delete('timeout');
  }
  if (parameters.has('resourceVersion') && parameters.get('resourceVersion') !== '0') {
    parameters.set('resourceVersion', '<rv>');
  }
  parameters.sort();
  return replaceVariable(decodeURIComponent(parameters.toString()));
}

function normalizeValue(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (key === 'resourceVersion') return '<rv>';
    if (key === 'imageID' && value !== '') return '<image>';
    if (key === 'kubeletVersion') return '<version>';
    return replaceVariable(value);
  }
  if (key === 'images') return '<images>';
  if (Array.isArray(value)) return value.map((item) => normalizeValue(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      // Whether a patch has a time depends on the second in which something happens.
      .filter(([name]) => name !== 'managedFields' && name !== 'lastTransitionTime')
      .map(([name, item]) => [name, name === 'preconditions' ? WITH_UID : normalizeValue(item, name)])
      .map(([name, item]) => [name, name === 'metadata' ? withoutSuffix(item) : item]),
  );
}

/** Names of events end with digits of the time. */
function withoutSuffix(metadata: unknown): unknown {
  const { name, ...rest } = metadata as { readonly name?: unknown };
  return typeof name === 'string' ? { name: name.replace(/\.(<hex>|[0-9a-f]{8,})$/, '.<hex>'), ...rest } : metadata;
}

function replaceVariable(text: string): string {
  return VARIABLE.reduce((result, [pattern, stand]) => result.replace(pattern, stand), text);
}
