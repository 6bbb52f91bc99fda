import { EndpointError } from '@rxlet/agent-api/http';
import { parseInt64 } from '@rxlet/component-base/go';
import { parseTimestamp } from '../read/log-timestamp.ts';
import type { LogStream } from '../read/parse-log-line.ts';

/** Part of a container's log, after PodLogOptions of the API. */
export interface LogQuery {
  readonly namespace: string;
  readonly podName: string;
  readonly containerName: string;
  readonly follow: boolean;
  /** Selects the instance before the current one. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Lines from the end; `undefined`: all. */
  readonly tailLines?: number;
  /** Earliest time of a line, in epoch milliseconds. */
  readonly sinceMs?: number;
  /** The same as an RFC 3339 time, to the nanosecond. */
  readonly sinceTime?: string;
  readonly limitBytes?: number;
  /** The only stream that is selected. Absent: both. */
  readonly stream?: LogStream;
}

/** A time that selects every line, which an empty parameter means. */
const NO_TIME = '0001-01-01T00:00:00Z';

/**
 * Reads the query of `/containerLogs/{namespace}/{pod}/{container}`, whose parameters are the fields of PodLogOptions, by the rules and in the words of the kubelet.
 * @throws EndpointError 404 for another path, 400 for a value that cannot be read, 422 for one that makes no sense
 */
export function parseLogQuery(path: readonly string[], parameters: URLSearchParams, nowMs: number): LogQuery {
  const place = parsePlace(path);
  const tail = parameters.get('tail') ?? '';
  // An older name of tailLines.
  const tailLines = tail === 'all' ? undefined : parseInteger(tail === '' ? parameters.get('tailLines') : tail);
  const limitBytes = parseInteger(parameters.get('limitBytes'));
  const sinceSeconds = parseInteger(parameters.get('sinceSeconds'));
  const sinceTime = parseTime(parameters.get('sinceTime'));
  const stream = parameters.get('stream');
  const isInvalid =
    isBelow(tailLines, 0) ||
    isBelow(limitBytes, 1) ||
    isBelow(sinceSeconds, 1) ||
    (sinceSeconds !== undefined && sinceTime !== undefined) ||
    (stream !== null && !['All', 'Stdout', 'Stderr'].includes(stream)) ||
    (stream !== null && stream !== 'All' && tailLines !== undefined);
  if (isInvalid) throw new EndpointError(422, '{"message": "Invalid request."}');
  const sinceMs = sinceSeconds === undefined ? undefined : nowMs - sinceSeconds * 1000;
  return {
    ...place,
    follow: parseFlag(parameters.get('follow')),
    previous: parseFlag(parameters.get('previous')),
    timestamps: parseFlag(parameters.get('timestamps')),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(sinceMs !== undefined && { sinceMs }),
    ...(sinceTime !== undefined && sinceTime !== NO_TIME && { sinceTime }),
    ...(stream === 'Stdout' && { stream: 'stdout' as const }),
    ...(stream === 'Stderr' && { stream: 'stderr' as const }),
  };
}

/**
 * Rejects a query for one of the streams alone, which needs a feature that is off. The kubelet does so after it has found the container.
 * @throws EndpointError 400
 */
export function rejectSingleStream(parameters: URLSearchParams): void {
  const stream = parameters.get('stream') ?? 'All';
  if (stream === 'All') return;
  const remedy = 'Please enable PodLogsQuerySplitStreams feature gate in kubelet';
  throw new EndpointError(400, `unable to return the given log stream: "${stream}". ${remedy}`);
}

function parsePlace(path: readonly string[]): Pick<LogQuery, 'namespace' | 'podName' | 'containerName'> {
  const [namespace, podName, containerName] = path;
  if (path.length !== 3) throw new EndpointError(404, '404: Page Not Found');
  if (!podName) throw new EndpointError(400, '{"message": "Missing podID."}');
  if (!containerName) throw new EndpointError(400, '{"message": "Missing container name."}');
  if (!namespace) throw new EndpointError(400, '{"message": "Missing podNamespace."}');
  return { namespace, podName, containerName };
}

/** Everything but `false` and `0` is true. */
function parseFlag(text: string | null): boolean {
  return text !== null && !['false', '0'].includes(text.toLowerCase());
}

function parseInteger(text: string | null): number | undefined {
  if (text === null) return undefined;
  const value = parseInt64(text);
  return value === undefined ? rejectQuery() : Number(value);
}

function parseTime(text: string | null): string | undefined {
  if (text === null) return undefined;
  if (text === '' || text === 'null') return NO_TIME;
  return parseTimestamp(text) === undefined ? rejectQuery() : text.replace(',', '.');
}

function rejectQuery(): never {
  throw new EndpointError(400, '{"message": "Unable to decode query."}');
}

function isBelow(value: number | undefined, least: number): boolean {
  return value !== undefined && value < least;
}
