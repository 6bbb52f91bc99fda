/** Characters that need no escape in a path (RFC 3986, section 3.3, and brackets, which are tolerated). */
const PLAIN_PATH = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]]|%[0-9A-Fa-f]{2})*$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/**
 * Returns path and query of an `httpGet` action's `path` for the request line. It is parsed as a URL: the query and dot segments are kept, scheme, host and
 * fragment are dropped. Text that is not a URL is a path. Only characters that need it are percent-encoded.
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
    // Escaped bytes that are not UTF-8 are kept.
    return path;
  }
}

/** Percent-encodes all characters of a path that may need it. */
function escapeText(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~$&+,/:;=@]+/gu, percentEncoded);
}

/** Percent-encodes only the characters of a query that a request line cannot contain. */
function escapeQuery(query: string): string {
  return query.replace(/[^\u0021-\u007e]+/gu, percentEncoded);
}

/** Encodes all characters. Together, because single ones take long: a path may have a megabyte of them, and each probe needs it. */
function percentEncoded(characters: string): string {
  return Buffer.from(characters).toString('hex').toUpperCase().replace(/../g, '%$&');
}
