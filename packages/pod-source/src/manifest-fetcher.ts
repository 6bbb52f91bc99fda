import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Environment, environmentProxy } from '@rxlet/component-base/http';
import { httpModule } from '@rxlet/component-base/http-module';

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
 * Gets manifests over the machine's network, through the proxy of the environment if that names one ({@link environmentProxy}). Certificates are verified. A redirect to
 * another host, or from https to http, is followed without the given headers, because they may be secrets.
 */
export function createManifestFetcher(env: Environment): ManifestFetcher {
  return {
    async get(url, { headers, maxBytes, signal }) {
      const response = await getFollowing(new URL(url), headers, { env, signal });
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of contentOf(response)) {
        length += chunk.length;
        // Leaving the loop ends the connection.
        if (length > maxBytes) throw new ManifestTooLarge(maxBytes);
        chunks.push(chunk);
      }
      return { status: statusOf(response), body: Buffer.concat(chunks) };
    },
  };
}

interface RequestOptions {
  readonly env: Environment;
  readonly signal: AbortSignal;
}

type Headers = readonly (readonly [name: string, value: string])[];

async function getFollowing(first: URL, givenHeaders: Headers, options: RequestOptions): Promise<IncomingMessage> {
  let url = first;
  let headers = givenHeaders;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await getOnce(url, headers, options);
    const { location } = response.headers;
    if (statusOf(response) < 300 || statusOf(response) > 399 || location === undefined) return response;
    response.destroy();
    const target = new URL(location, url);
    if (!staysWithHost(url, target)) headers = [];
    url = target;
  }
  throw new Error(`the server redirected more than ${String(MAX_REDIRECTS)} times`);
}

async function getOnce(url: URL, headers: Headers, { env, signal }: RequestOptions): Promise<IncomingMessage> {
  const given: Record<string, string[]> = {};
  for (const [name, value] of headers) (given[name.toLowerCase()] ??= []).push(value);
  const fields = { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'rxlet', ...given };
  const proxy = environmentProxy(url, env);
  const proxyEnv = proxy === undefined ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  const { request, Agent } = url.protocol === 'https:' ? https : httpModule;
  const sent = request(url, { headers: fields, signal, agent: new Agent({ proxyEnv }) });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

function contentOf(response: IncomingMessage): AsyncIterable<Uint8Array> {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  // Errors come out of the iteration.
  return pipeline(response, createGunzip(), () => undefined);
}

function statusOf({ statusCode = 0 }: IncomingMessage): number {
  return statusCode;
}

/** Reports whether a redirect reaches the same server; a step from http to https on their usual ports does. */
function staysWithHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return isUpgrade && from.hostname === to.hostname;
}
