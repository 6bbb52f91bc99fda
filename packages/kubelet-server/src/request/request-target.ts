import { EndpointError } from '@rxlet/agent-api/http';

/** Parsed target of a request. */
export interface RequestTarget {
  /** Path as it was sent. It decides which endpoint answers, so that an encoded slash never moves a request to another endpoint. */
  readonly escapedPath: string;
  /** Decoded path. */
  readonly path: string;
  /** Query with its `?`; empty without one. */
  readonly query: string;
  readonly parameters: URLSearchParams;
}

/**
 * Parses the target of a request.
 * @throws EndpointError 400 when it is malformed
 */
export function parseTarget(target: string): RequestTarget {
  const [, pathAndQuery = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?]*)?(.*)$/is.exec(target) ?? [];
  const start = pathAndQuery.indexOf('?');
  const escapedPath = (start < 0 ? pathAndQuery : pathAndQuery.slice(0, start)) || '/';
  const query = start < 0 ? '' : pathAndQuery.slice(start);
  const path = unescapePath(escapedPath);
  if (path === undefined || !path.startsWith('/')) throw new EndpointError(400, '400 Bad Request');
  return { escapedPath, path, query, parameters: parseQuery(query.slice(1)) };
}

/** Decodes a path; `undefined` for a malformed escape. Bytes that are not UTF-8 stay distinct characters, so that they match nothing. */
export function unescapePath(text: string): string | undefined {
  return decode(text);
}

/**
 * Parses a query as Go does, and so as clients of a kubelet know it: a part with a semicolon or a malformed escape is dropped, the others are kept.
 */
export function parseQuery(query: string): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue;
    const equals = part.indexOf('=');
    const name = decode((equals < 0 ? part : part.slice(0, equals)).replaceAll('+', ' '));
    const value = equals < 0 ? '' : decode(part.slice(equals + 1).replaceAll('+', ' '));
    if (name !== undefined && value !== undefined) parameters.append(name, value);
  }
  return parameters;
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}
