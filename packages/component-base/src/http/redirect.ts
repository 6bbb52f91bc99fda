import { goQuote } from '../go-quote.ts';
import { HttpError, type HttpGetRequest, requestUrl } from './http-port.ts';

/** Scheme, authority, path and query of a reference (RFC 3986, appendix B). */
const reference = /^(?:([A-Za-z][A-Za-z0-9+\-.]*):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?/;
/** Host, with or without brackets, and port. */
const hostPort = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/;

/**
 * Returns the request that follows a redirect from `request` to a `Location`; `undefined` when that is on another host. Host names are equal only when they are
 * spelled the same, as for Go's client.
 *
 * @throws HttpError when the location is not a URL, or has another scheme
 */
export function redirectedRequest(request: HttpGetRequest, location: string): HttpGetRequest | undefined {
  const fail = (why: string): HttpError => {
    const quoted = goQuote(location);
    const from = `Get ${goQuote(requestUrl(request))}`;
    return new HttpError('Redirect', `${from}: failed to parse Location header ${quoted}: parse ${quoted}: ${why}`);
  };
  if (/[\u0000-\u001f\u007f]/.test(location)) throw fail('net/url: invalid control character in URL');
  const [, scheme = request.scheme, authority, path = '', query = ''] = reference.exec(location)!;
  const isAbsolute = location.startsWith(`${scheme}:`);
  if (!isAbsolute && authority === undefined && /^[^/]*:/.test(path)) {
    throw fail('first path segment in URL cannot contain colon');
  }
  const [badEscape] = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(path) ?? [];
  if (badEscape !== undefined) throw fail(`invalid URL escape ${goQuote(badEscape)}`);

  let { hostname, port } = request;
  if (isAbsolute || authority !== undefined) {
    const [, bracketed, plain, portText = ''] = hostPort.exec((authority ?? '').replace(/^.*@/, '')) ?? [];
    if (!/^\d*$/.test(portText)) throw fail(`invalid port ${goQuote(`:${portText}`)} after host`);
    hostname = bracketed ?? plain ?? '';
    port = portText === '' ? (scheme.toLowerCase() === 'https' ? 443 : 80) : Number(portText);
  }
  if (hostname !== request.hostname) return undefined;
  const lowerScheme = scheme.toLowerCase();
  if (lowerScheme !== 'http' && lowerScheme !== 'https') {
    throw new HttpError('Redirect', `Get ${goQuote(location)}: unsupported protocol scheme ${goQuote(lowerScheme)}`);
  }
  const isRoot = isAbsolute || authority !== undefined;
  return {
    ...request,
    scheme: lowerScheme,
    port,
    path: resolvePath(request.path, path === '' && isRoot ? '/' : path, query),
    // A redirect that names a host replaces the virtual host.
    hostHeader: isAbsolute ? undefined : request.hostHeader,
  };
}

/** Returns path and query of a reference on the same host, without dot segments. */
function resolvePath(base: string, path: string, query: string): string {
  // A URL parser would turn backslashes into slashes and drop spaces.
  const escaped = `${path.replaceAll('\\', '%5C').replaceAll(' ', '%20')}${query}`;
  const url = path.startsWith('/') ? new URL(`http://host${escaped}`) : new URL(escaped, `http://host${base}`);
  return `${url.pathname}${url.search}`;
}
