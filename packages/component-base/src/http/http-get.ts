import { goQuote } from '../go-quote.ts';
import { errorMessage } from '../logger.ts';
import {
  HttpError,
  type HttpGetOptions,
  type HttpGetRequest,
  type HttpGetResponse,
  type HttpPort,
  requestUrl,
} from './http-port.ts';

/** Requests in one chain of redirects. */
const MAX_REQUESTS = 10;
const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

/**
 * GETs and follows redirects on the same host name, as a pod may not send the agent elsewhere: a redirect to another host is the answer itself.
 *
 * Rejects with {@link HttpError}, whose message names the URL, or with the reason of the signal.
 */
export async function httpGet(
  http: HttpPort,
  request: HttpGetRequest,
  options: HttpGetOptions,
): Promise<HttpGetResponse> {
  let current = request;
  for (let sent = 1; ; sent += 1) {
    let response: HttpGetResponse;
    try {
      response = await http.get(current, options);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      throw new HttpError(error.reason, `${subject(current)}: ${error.message}`, { cause: error });
    }
    if (!redirectStatuses.includes(response.status) || response.location === undefined) return response;
    const next = redirected(current, response.location);
    if (next === undefined) return response;
    if (sent >= MAX_REQUESTS) {
      throw new HttpError('Redirect', `${subject(next)}: stopped after ${String(MAX_REQUESTS)} redirects`);
    }
    current = next;
  }
}

/** The request that follows a redirect; `undefined` when it leads to another host. */
function redirected(request: HttpGetRequest, location: string): HttpGetRequest | undefined {
  let target: URL;
  let origin: URL;
  try {
    origin = new URL(requestUrl(request));
    target = new URL(location, origin);
  } catch (error) {
    const quoted = goQuote(location);
    throw new HttpError(
      'Redirect',
      `${subject(request)}: failed to parse Location header ${quoted}: ${errorMessage(error)}`,
    );
  }
  if (target.hostname !== origin.hostname) return undefined;
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    const scheme = goQuote(target.protocol.slice(0, -1));
    throw new HttpError('Redirect', `${subject(request)}: unsupported protocol scheme ${scheme}`);
  }
  const isAbsolute = /^[A-Za-z][A-Za-z0-9+\-.]*:/.test(location);
  const isTls = target.protocol === 'https:';
  return {
    ...request,
    scheme: isTls ? 'https' : 'http',
    port: target.port === '' ? (isTls ? 443 : 80) : Number(target.port),
    path: `${target.pathname}${target.search}`,
    // A virtual host stays the same one only as long as the server does not name another.
    hostHeader: isAbsolute ? undefined : request.hostHeader,
  };
}

function subject(request: HttpGetRequest): string {
  return `Get ${goQuote(requestUrl(request))}`;
}
