/** Location of a registry, or of a part of one: the common part of a docker config's key and an image. */
export interface RegistryLocation {
  /** As written, with the port: `gcr.io`, `localhost:5000`, `*.example.com`. */
  readonly host: string;
  /** Path from its first slash; empty without one. Escapes are resolved. */
  readonly path: string;
}

/** Length of the longest name in DNS with the longest port. Authors of pods choose the host, which is compared with each of thousands of registries. */
const MAX_HOST_LENGTH = 259;
/** Matches the ASCII characters of a host. */
const HOST = /^[a-zA-Z0-9\-_.~!$&'()*+,;=:<>"\u0080-\uffff]*$/;
const USER_INFO = /^[a-zA-Z0-9\-_.~!$&'()*+,;=:@%]*$/;
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;
const CONTROL = /[\u0000-\u001f\u007f]/;
const BRACKETED = /^\[(?<address>[0-9a-fA-F:.]+)\](?::[0-9]*)?$/;

/**
 * Parses a location without a scheme, by the rules of Go's `net/url`, as the kubelet parses registry keys: user info, a query and a fragment are dropped.
 * `undefined` for text that is not a location, such as `nginx:latest`, whose tag would be a port.
 */
export function parseRegistryLocation(text: string): RegistryLocation | undefined {
  const [beforeFragment, fragment] = cut(text, '#');
  if (CONTROL.test(beforeFragment) || BAD_ESCAPE.test(fragment)) return undefined;
  const [location] = cut(beforeFragment, '?');
  const slash = location.indexOf('/');
  const authority = slash < 0 ? location : location.slice(0, slash);
  const at = authority.lastIndexOf('@');
  const userInfo = authority.slice(0, Math.max(at, 0));
  if (!USER_INFO.test(userInfo) || BAD_ESCAPE.test(userInfo)) return undefined;
  const host = authority.slice(at + 1);
  if (host.length > MAX_HOST_LENGTH || !isHost(host)) return undefined;
  const path = unescapePath(location.slice(authority.length));
  return path === undefined ? undefined : { host, path };
}

/** Returns the parts of a host between its dots, and its port. */
export function splitHost(host: string): { readonly parts: readonly string[]; readonly port: string } {
  // Without a port the brackets of an IPv6 address stay, as in Go's SplitHostPort.
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):([^:\]]*)$/.exec(host) ?? [];
  return { parts: (bracketed ?? plain ?? host).split('.'), port: port ?? '' };
}

function isHost(host: string): boolean {
  if (host.includes('[') || host.includes(']'))
    return BRACKETED.exec(host)?.groups?.['address']?.includes(':') === true;
  const colon = host.indexOf(':');
  return HOST.test(host) && (colon < 0 || /^[0-9]*$/.test(host.slice(colon + 1)));
}

function unescapePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function cut(text: string, separator: string): readonly [before: string, after: string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
