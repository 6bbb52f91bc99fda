import type { Container, EphemeralContainer, HTTPGetAction, HTTPHeader, IntOrString } from '@rxlet/kube-api';
import { urlPath } from './url-path.ts';

/** A GET as an `httpGet` action asks for it: what `httpGet` of `@rxlet/component-base/http` sends. */
export interface PodHttpGetRequest {
  readonly scheme: 'http' | 'https';
  /** Name or address, IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Path and query, percent-encoded, beginning with `/`. */
  readonly path: string;
  /** The `Host` header; absent: hostname and port. */
  readonly hostHeader?: string;
  /** All other headers, in order; a name may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Headers that describe the connection or the body are the client's own business. */
const ownHeaders = new Set(['connection', 'content-length', 'host', 'trailer', 'transfer-encoding']);

/**
 * The request that an `httpGet` action of a container stands for. `User-Agent` and `Accept` (anything) are added unless given; given with an empty value
 * they are left out. A `Host` header replaces the one of the URL.
 * @throws Error when there is no such port
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
    return !ownHeaders.has(lowerCase) && (value !== '' || (lowerCase !== 'user-agent' && lowerCase !== 'accept'));
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
 * The number of a port: given as such, as the name of one of the container's ports, or as digits.
 * @throws Error, in the kubelet's words, when it is none of them or out of range
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
