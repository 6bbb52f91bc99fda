import { goQuote } from '../go-quote.ts';
import {
  HttpError,
  type HttpGetOptions,
  type HttpGetRequest,
  type HttpGetResponse,
  type HttpPort,
  requestUrl,
} from './http-port.ts';
import { redirectedRequest } from './redirect.ts';

/** Requests in one chain of redirects. */
const MAX_REQUESTS = 10;
const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Sends a GET and follows redirects on the same host name. A redirect to another host is returned as the response, because a pod must not send the agent elsewhere.
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
      throw new HttpError(error.reason, `Get ${goQuote(requestUrl(current))}: ${error.message}`, { cause: error });
    }
    const { status, location = '' } = response;
    if (!redirectStatuses.includes(status) || location === '') return response;
    const next = redirectedRequest(current, location);
    if (next === undefined) return response;
    if (sent >= MAX_REQUESTS) {
      throw new HttpError('Redirect', `Get ${goQuote(location)}: stopped after ${String(MAX_REQUESTS)} redirects`);
    }
    current = { ...next, headers: withReferer(request.headers, current, next) };
  }
}

/** Returns the headers of the first request and a `Referer`, which Go's client adds unless the redirect leads from TLS to plain HTTP. */
function withReferer(
  headers: HttpGetRequest['headers'],
  from: HttpGetRequest,
  to: HttpGetRequest,
): HttpGetRequest['headers'] {
  if (from.scheme === 'https' && to.scheme === 'http') return headers;
  if (headers.some(([name]) => name.toLowerCase() === 'referer')) return headers;
  return [...headers, ['Referer', requestUrl(from)]];
}
