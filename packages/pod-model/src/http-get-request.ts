import type { Container, EphemeralContainer, HTTPGetAction, HTTPHeader, IntOrString } from '@rxlet/kube-api';
import { urlPath } from './url-path.ts';

/** Request of an `httpGet` action, for `httpGet` of `@rxlet/component-base/http`. */
export interface PodHttpGetRequest {
  readonly scheme: 'http' | 'https';
  /** Name or address; IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Path and query, percent-encoded, beginning with `/`. */
  readonly path: string;
  /** The `Host` header; absent: hostname and port. */
  readonly hostHeader?: string;
  /** All other headers, in order; a name may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Headers that the HTTP client sets: those of the connection and of the body. */
const clientHeaders = new Set(['connection', 'content-length', 'host', 'trailer', 'transfer-encoding']);

/**
 * Returns the request of a container's `httpGet` action. `User-Agent` and `Accept` (any type) are added unless given; given with an empty value, they are
 * omitted. A `Host` header replaces that of the URL.
 * @throws Error when the port does not exist
 */
export function httpGetRequest(
  action: HTTPGetAction,
  container: Pick<Container | EphemeralContainer, 'ports'>,
  defaults: { readonly hostname: string; readonly userAgent: string },
): PodHttpGetRequest {
  const given = action.httpHeaders ?? [];
  const added: HTTPHeader[] = [];
  if (!has(given, 'user-agent')) added.push({ name: 'User-Agent', value: defaults.userAgent });
  if (!has(given, 'accept')) added.push({ name: 'Accept', value: '*/*' });
  const headers = [...given, ...added].filter(({ name, value }) => {
    const lowerCase = name.toLowerCase();
    return !clientHeaders.has(lowerCase) && (value !== '' || (lowerCase !== 'user-agent' && lowerCase !== 'accept'));
  });
  const host = given.find(({ name }) => name.toLowerCase() === 'host')?.value ?? '';
  return {
    scheme: action.scheme?.toLowerCase() === 'https' ? 'https' : 'http',
    hostname: unbracketed(action.host === undefined || action.host === '' ? defaults.hostname : action.host),
    port: containerPort(action.port, container),
    path: urlPath(action.path ?? ''),
    ...(host !== '' && { hostHeader: host }),
    headers: headers.map(({ name, value }) => [name, value]),
  };
}

/**
 * Returns the number of a port that is given as a number, as digits, or as the name of one of the container's ports.
 * @throws Error with the kubelet's message when the port does not exist or is out of range
 */
export function containerPort(port: IntOrString, container: Pick<Container | EphemeralContainer, 'ports'>): number {
  let number = port;
  if (typeof number === 'string') {
    const named = container.ports?.find(({ name }) => name === port)?.containerPort;
    if (named === undefined && !/^[+-]?\d+$/.test(number)) {
      throw new Error(`strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`);
    }
    number = named ?? Number(number);
  }
  if (!(number > 0 && number < 65536)) throw new Error(`invalid port number: ${String(number)}`);
  return number;
}

function has(headers: readonly HTTPHeader[], lowerCaseName: string): boolean {
  return headers.some(({ name }) => name.toLowerCase() === lowerCaseName);
}

function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
