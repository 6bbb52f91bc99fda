import type { IncomingMessage } from 'node:http';
import { browserRequestProblem, hostAndPort, isBrowserRequest } from '@rxlet/component-base/http';

/** Returns why a request of a browser must be rejected; `undefined` for others, and for those of the server's own page. */
export type ForeignPageCheck = (message: Pick<IncomingMessage, 'headers' | 'method'>) => string | undefined;

/**
 * Creates the check of a server that has a page for browsers, which attach a client's certificate to requests of any page. Requests must name the server by one of
 * `names`, compared whole, and come from a page of that origin. Other clients are not concerned.
 */
export function createForeignPageCheck(names: readonly string[], port: number): ForeignPageCheck {
  const hosts = new Set(names.map((name) => hostAndPort(name, port)));
  return ({ method = '', headers }) => {
    const request = { method, headers };
    if (!isBrowserRequest(request)) return undefined;
    const { host = '' } = headers;
    if (!hosts.has(host)) return 'the request names another host than the node';
    return browserRequestProblem(request, [`https://${host}`]);
  };
}
