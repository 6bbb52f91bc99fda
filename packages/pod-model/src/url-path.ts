/** What may stand in a path as it is (RFC 3986, section 3.3, and the brackets that are tolerated). */
const PLAIN_PATH = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]]|%[0-9A-Fa-f]{2})*$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/**
 * Path and query of an `httpGet` action's `path`, as they go over the wire. It is read as a URL: the query is kept, scheme, host and fragment are left
 * out, and dot segments stay. One that is no URL is all path. Query and path are percent-encoded where they must be, and nowhere else.
 */
export function urlPath(path: string): string {
  const withoutFragment = path.replace(/#.*$/s, '');
  const queryAt = withoutFragment.indexOf('?');
  let pathOnly = queryAt === -1 ? withoutFragment : withoutFragment.slice(0, queryAt);
  let query = queryAt === -1 ? '' : withoutFragment.slice(queryAt);
  if (isNoUrl(pathOnly)) {
    pathOnly = escapeText(path);
    query = '';
  } else {
    pathOnly = pathOnly.replace(/^(?:[A-Za-z][A-Za-z0-9+\-.]*:)?\/\/[^/]*/, '');
    if (!PLAIN_PATH.test(pathOnly)) pathOnly = escapeText(decodeEscapes(pathOnly));
  }
  return `${pathOnly.startsWith('/') ? '' : '/'}${pathOnly}${escapeQuery(query)}`;
}

function isNoUrl(path: string): boolean {
  return path.startsWith(':') || BAD_ESCAPE.test(path) || /[\u0000-\u001f\u007f]/.test(path);
}

function decodeEscapes(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Escaped bytes that are not UTF-8 cannot be text; they stay.
    return path;
  }
}

/** Percent-encodes all but what never needs it. */
function escapeText(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~$&+,/:;=@]/gu, encodeCharacter);
}

/** A query is left as written but for what a request line cannot hold. */
function escapeQuery(query: string): string {
  return query.replace(/[^\u0021-\u007e]/gu, encodeCharacter);
}

function encodeCharacter(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
