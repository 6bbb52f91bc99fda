import { type Environment, environmentProxy } from '@rxlet/component-base/http';
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
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
  env: Environment,
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
  const proxy = proxyUrl ?? environmentProxy(new URL(server), env);
  if (proxy === undefined) return new Agent(options);
  // With `socks5h`, the proxy resolves names, as it does anyway.
  if (/^socks5h?:/.test(proxy))
    return new Socks5ProxyAgent(proxy.replace(/^socks5h/, 'socks5'), { ...options, requestTls: tls } as never);
  return new ProxyAgent({ ...options, uri: proxy, requestTls: tls });
}
