import { flag, time, wholeNumber } from './parameters.ts';
import type { LogQuery } from './ports.ts';
import { RequestError } from './request-error.ts';

/**
 * Reads the query of `/containerLogs/{namespace}/{pod}/{container}`, whose parameters are the fields of PodLogOptions.
 * @throws RequestError 400 for another path, 422 for a value that does not fit
 */
export function parseLogQuery(path: readonly string[], parameters: URLSearchParams, nowMs: number): LogQuery {
  const [namespace, podName, containerName, ...rest] = path;
  if (!namespace || !podName || !containerName || rest.length > 0) {
    throw new RequestError(400, 'expected /containerLogs/{namespace}/{pod}/{container}');
  }
  const stream = parameters.get('stream') ?? 'All';
  if (stream !== 'All') throw new RequestError(422, `stream "${stream}" cannot be read alone: only All can`);
  const tailLines = wholeNumber(parameters, 'tailLines', 0);
  const limitBytes = wholeNumber(parameters, 'limitBytes', 1);
  const sinceSeconds = wholeNumber(parameters, 'sinceSeconds', 1);
  const sinceTime = time(parameters, 'sinceTime');
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    throw new RequestError(422, 'sinceSeconds and sinceTime exclude each other');
  }
  const sinceMs = sinceSeconds === undefined ? undefined : nowMs - sinceSeconds * 1000;
  return {
    namespace,
    podName,
    containerName,
    follow: flag(parameters, 'follow'),
    previous: flag(parameters, 'previous'),
    timestamps: flag(parameters, 'timestamps'),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(sinceMs !== undefined && { sinceMs }),
    ...(sinceTime !== undefined && { sinceTime }),
  };
}
