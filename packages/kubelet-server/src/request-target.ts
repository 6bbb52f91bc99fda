import { RequestError } from './request-error.ts';

/** What a request asks for. */
export interface RequestTarget {
  /** The first part of the path. */
  readonly endpoint: string;
  /** The parts of the path below it; a slash within a part was written `%2F`. */
  readonly rest: readonly string[];
  readonly parameters: URLSearchParams;
}

/**
 * Takes a request's target apart.
 * @throws RequestError 400 when it is malformed
 */
export function parseTarget(target: string): RequestTarget {
  try {
    // The whole of a URL is allowed too (RFC 9112, absolute-form). A path that begins with two slashes would be taken for a host.
    const { pathname, searchParams } = new URL(target.startsWith('/') ? `http://localhost${target}` : target);
    const parts = pathname.split('/').filter((part) => part !== '');
    const [endpoint = '', ...rest] = parts.map((part) => decodeURIComponent(part));
    return { endpoint, rest, parameters: searchParams };
  } catch {
    throw new RequestError(400, `malformed request target ${target}`);
  }
}
