import { normalizeRequest } from './normalize.ts';
import type { ApiRequest } from './recording.ts';

/** Headers by method and path. */
export type RequestHeaders = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Returns the headers of the requests. The agent's encoding is JSON; compression belongs to the connection, which a replay does not have. */
export function requestHeaders(requests: readonly ApiRequest[]): RequestHeaders {
  return Object.fromEntries(
    requests.map((request) => {
      const { method, path } = normalizeRequest(request);
      const { 'accept-encoding': _, ...headers } = request.headers ?? {};
      const entries = Object.entries(headers).toSorted(([left], [right]) => (left < right ? -1 : 1));
      return [`${method} ${path}`, Object.fromEntries(entries.map(([name, value]) => [name, comparable(value)]))];
    }),
  );
}

function comparable(value: string): string {
  return value
    .replace('application/vnd.kubernetes.protobuf,application/json', 'application/json')
    .replace('application/vnd.kubernetes.protobuf', 'application/json')
    .replace(/^kubelet\/v\S+ \(linux\/amd64\) kubernetes\/\S+$/, '<user agent>');
}
