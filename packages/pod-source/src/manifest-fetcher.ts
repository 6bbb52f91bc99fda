/** What a server answered. */
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

/** The body of an answer is longer than a manifest may be. */
export class ManifestTooLarge extends Error {
  override readonly name = 'ManifestTooLarge';

  constructor(maxBytes: number) {
    super(`it has more than the ${String(maxBytes)} bytes of a manifest`);
  }
}

/** Over the machine's network, by the `fetch` of Node.js. Certificates are verified; credentials are not sent on to another host by a redirect. */
export const networkManifestFetcher: ManifestFetcher = {
  async get(url, { headers, maxBytes, signal }) {
    const response = await fetch(url, { headers: headers.map(([name, value]) => [name, value]), signal });
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
