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
  if (hasUtf8Escapes(text)) return decodeURIComponent(text);
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const BEYOND_ASCII = /%[89a-f]/i;
/** Escapes of one character in UTF-8 (RFC 3629), by the range of its first bytes. */
const UTF8_CHARACTER = new RegExp(
  [
    '%(?:c[2-9a-f]|d.)%[89ab].',
    '%e0%[ab].%[89ab].',
    '%e[1-9a-cef](?:%[89ab].){2}',
    '%ed%[89].%[89ab].',
    '%f0%[9ab].(?:%[89ab].){2}',
    '%f[1-3](?:%[89ab].){3}',
    '%f4%8.(?:%[89ab].){2}',
  ].join('|'),
  'gi',
);

/** Reports whether well-formed escapes are UTF-8. `decodeURIComponent` throws for others, which takes many times as long. */
function hasUtf8Escapes(text: string): boolean {
  return !BEYOND_ASCII.test(text) || !BEYOND_ASCII.test(text.replace(UTF8_CHARACTER, ''));
}
