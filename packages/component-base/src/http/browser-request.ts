/** Parts of a request that show where it comes from. */
export interface BrowserRequest {
  readonly method: string;
  /** Header fields, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Reports whether a browser sent the request for a page: other clients send neither of these header fields. */
export function isBrowserRequest({ headers }: BrowserRequest): boolean {
  return headers['origin'] !== undefined || headers['sec-fetch-site'] !== undefined;
}

/**
 * Returns why a request must be rejected: a page of another origin made a browser send it, with the user's credentials. `undefined` for a request of a page of one of
 * `origins`, for an address that the user opened, and for a client that is no browser. Origins are compared whole.
 */
export function browserRequestProblem(
  { method, headers }: BrowserRequest,
  origins: readonly string[],
): string | undefined {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (origin !== undefined && !(typeof origin === 'string' && origins.includes(origin)))
    return 'the request comes from a page of another origin';
  if (site === undefined || site === 'same-origin') return undefined;
  // An address that the user typed, or opened from another program.
  if (site === 'none' && mode === 'navigate' && (method === 'GET' || method === 'HEAD')) return undefined;
  return 'the request comes from a page of another site';
}
