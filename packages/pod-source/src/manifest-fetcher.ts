/** Answer of a server. */
export interface FetchedManifest {
  /** HTTP status code. */
  readonly status: number;
  readonly body: Uint8Array;
}

/** Gets a manifest over HTTP. */
export interface ManifestFetcher {
  /**
   * Sends one GET request, following redirects, and reads no more than `maxBytes` of the body.
   * @throws ManifestTooLarge for a longer one; any other error when there is no answer, or when `signal` aborts
   */
  get(
    url: string,
    options: {
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly maxBytes: number;
      readonly signal: AbortSignal;
    },
  ): Promise<FetchedManifest>;
}

/** Thrown for an answer that is longer than a manifest may be. */
export class ManifestTooLarge extends Error {
  override readonly name = 'ManifestTooLarge';

  constructor(maxBytes: number) {
    super(`it has more than the ${String(maxBytes)} bytes of a manifest`);
  }
}

/** As many as a browser follows, and twice as many as Go's client. */
const MAX_REDIRECTS = 20;

/**
 * Gets manifests over the machine's network, by the `fetch` of Node.js. Certificates are verified. A redirect to another host, or from https to http, is
 * followed without the given headers, because they may be secrets.
 */
export const networkManifestFetcher: ManifestFetcher = {
  async get(url, { headers, maxBytes, signal }) {
    const response = await fetchFollowing(new URL(url), headers, signal);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      // Leaving the loop cancels the rest of the body.
      if (length > maxBytes) throw new ManifestTooLarge(maxBytes);
      chunks.push(chunk);
    }
    return { status: response.status, body: Buffer.concat(chunks) };
  },
};

async function fetchFollowing(
  first: URL,
  givenHeaders: readonly (readonly [name: string, value: string])[],
  signal: AbortSignal,
): Promise<Response> {
  let url = first;
  let headers = givenHeaders;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await fetch(url, {
      headers: headers.map(([name, value]) => [name, value]),
      signal,
      redirect: 'manual',
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const target = new URL(location, url);
    if (!staysWithHost(url, target)) headers = [];
    url = target;
  }
  throw new Error(`the server redirected more than ${String(MAX_REDIRECTS)} times`);
}

/** Reports whether a redirect reaches the same server; a step from http to https on their usual ports does. */
function staysWithHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return isUpgrade && from.hostname === to.hostname;
}
