import { Agent, type Dispatcher, EnvHttpProxyAgent, ProxyAgent, Socks5ProxyAgent } from 'undici';
import type { TlsMaterials } from '../credentials/credential-provider.ts';
import type { KubeEndpoint } from '../kubeconfig/kube-endpoint.ts';

/** A watch for each ConfigMap and Secret of a node lasts on one connection. */
const MAX_STREAMS = 1000;
/** Finds a connection that is dead although nothing ended it. */
const PING_MS = 30_000;
const CONNECT_TIMEOUT_MS = 30_000;

/** Creates the connections to an API server, through a proxy if there is one. */
export function createDispatcher(
  { server, tlsServerName, isInsecure, proxyUrl }: KubeEndpoint,
  { ca, certificate, key }: TlsMaterials,
  env: Readonly<Record<string, string | undefined>>,
): Dispatcher {
  const tls = {
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && { cert: certificate, key }),
    ...(tlsServerName !== undefined && { servername: tlsServerName }),
    rejectUnauthorized: isInsecure !== true,
  };
  const options = {
    allowH2: true,
    h2Options: { maxConcurrentStreams: MAX_STREAMS, pingInterval: PING_MS },
    connect: { ...tls, timeout: CONNECT_TIMEOUT_MS },
  };
  if (proxyUrl?.startsWith('socks5:')) return new Socks5ProxyAgent(proxyUrl, { ...options, requestTls: tls } as never);
  if (proxyUrl !== undefined) return new ProxyAgent({ ...options, uri: proxyUrl, requestTls: tls });
  const isSecure = server.startsWith('https:');
  const proxy = isSecure ? (env['HTTPS_PROXY'] ?? env['https_proxy']) : (env['HTTP_PROXY'] ?? env['http_proxy']);
  if (!proxy) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    ...(isSecure ? { httpsProxy: proxy } : { httpProxy: proxy }),
    noProxy: env['NO_PROXY'] ?? env['no_proxy'] ?? '',
    requestTls: tls,
  });
}
