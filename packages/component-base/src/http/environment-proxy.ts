import { BlockList, isIP } from 'node:net';

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Returns the URL of the proxy through which a request to `url` goes: that of `HTTPS_PROXY` or `HTTP_PROXY` by the scheme, `undefined` without one, or when the host needs
 * none. As for a Go program, that is so for `localhost`, loopback addresses, and what `NO_PROXY` lists: `*`, addresses, networks (`10.0.0.0/8`), and domains with their
 * subdomains (`example.com`) or these alone (`.example.com`, `*.example.com`), all but networks also with a port. The names in lower case serve where those in upper
 * case are not set.
 */
export function environmentProxy(url: URL, env: Environment): string | undefined {
  const given = url.protocol === 'https:' ? variable(env, 'HTTPS_PROXY') : variable(env, 'HTTP_PROXY');
  const proxy = proxyUrl(given);
  return proxy === undefined || isDirect(url, variable(env, 'NO_PROXY')) ? undefined : proxy;
}

function variable(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

/** Returns a proxy's URL, whose scheme may be left out; `undefined` if it is none. */
function proxyUrl(given: string): string | undefined {
  if (given === '') return undefined;
  const text = given.includes('://') ? given : `http://${given}`;
  return URL.canParse(text) ? text : undefined;
}

function isDirect(url: URL, exceptions: string): boolean {
  const host = withoutBrackets(url.hostname);
  if (host === 'localhost' || isLoopback(host)) return true;
  const port = url.port || DEFAULT_PORTS[url.protocol];
  return exceptions
    .split(',')
    .map((text) => text.trim().toLowerCase())
    .some((text) => text !== '' && isExcepted(host, port, text));
}

function isExcepted(host: string, port: string | undefined, exception: string): boolean {
  if (exception === '*') return true;
  if (exception.includes('/')) return isInNetwork(host, exception);
  const { name, port: onlyPort } = splitPort(exception);
  if (name === '' || (onlyPort !== undefined && onlyPort !== port)) return false;
  if (isIP(name) !== 0) return sameAddress(name, host);
  const domain = name.replace(/^\*?\./, '');
  return host.endsWith(`.${domain}`) || (domain === name && host === domain);
}

function splitPort(text: string): { readonly name: string; readonly port?: string | undefined } {
  if (isIP(text) !== 0) return { name: text };
  const [, name = text, port] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { name: withoutBrackets(name), port };
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function isLoopback(host: string): boolean {
  return isInNetwork(host, '127.0.0.0/8') || isInNetwork(host, '::1/128');
}

function isInNetwork(host: string, network: string): boolean {
  const [, address = '', bits = ''] = /^(.*)\/(\d{1,3})$/.exec(network) ?? [];
  const version = isIP(address);
  if (version === 0 || Number(bits) > (version === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  return contains(list, host);
}

function sameAddress(left: string, right: string): boolean {
  const list = new BlockList();
  list.addAddress(left, isIP(left) === 4 ? 'ipv4' : 'ipv6');
  return contains(list, right);
}

function contains(list: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
