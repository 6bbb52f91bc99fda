import type { ServerOptions } from 'node:http';
import { createServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CurrentValue } from '@rxlet/component-base/streams';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { errorMessage, type Lifetime } from '@rxlet/component-base';
import { combineLatest, of } from 'rxjs';
import type { ConnectionLimits } from '../listeners/connection-limits.ts';
import { createListener, type Listener, type ListenerPorts, listenOnAddress, type Served } from '../listeners/serve.ts';
import type { ClientAuthorities } from './client-authorities.ts';
import { tlsContextOptions, type TlsSettings } from './tls-settings.ts';

/** Options of {@link createHttpsListener}. */
export interface HttpsOptions {
  readonly address: string;
  readonly port: number;
  readonly limits: ConnectionLimits;
  readonly tls: TlsSettings;
  /** Certificate of the server. Handshakes fail while there is none. */
  readonly certificate: CurrentValue<TlsKeyPair | undefined>;
  /** Authorities of clients, whose certificates are requested and not required. Absent: none is requested. */
  readonly clientAuthorities?: CurrentValue<ClientAuthorities> | undefined;
  /** Called with the address once the server listens. */
  readonly onListening?: (address: AddressInfo) => void;
}

/** Time for a handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Certificate of a server, and the authorities of its clients. */
type ServerIdentity = Pick<HttpsOptions, 'tls' | 'certificate' | 'clientAuthorities'>;

/** Creates a {@link Listener} for HTTPS. A new certificate or new authorities apply from the next connection on, and those that exist go on. */
export function createHttpsListener(ports: ListenerPorts, served: Served, options: HttpsOptions): Listener {
  const { address, port, limits } = options;
  return createListener(ports, served, limits, createTlsServer(options), async (server, lifetime) => {
    followIdentity(server as HttpsServer, ports, options, lifetime);
    await listenOnAddress(server, address, port);
    options.onListening?.(server.address() as AddressInfo);
  });
}

/** Returns a function that creates an HTTPS server, without its certificate. */
export function createTlsServer({ tls, clientAuthorities }: ServerIdentity): (options: ServerOptions) => HttpsServer {
  return (handlerOptions) =>
    createServer({
      ...handlerOptions,
      ...contextOptions(tls, undefined, clientAuthorities?.value),
      requestCert: clientAuthorities !== undefined,
      // Clients may have a token instead.
      rejectUnauthorized: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      // HTTP/1.1 alone, which needs no negotiation.
      ALPNProtocols: [],
    });
}

/** Keeps the certificate of a server, and the authorities of its clients, up to date. */
export function followIdentity(
  server: HttpsServer,
  { logger }: Pick<ListenerPorts, 'logger'>,
  { tls, certificate, clientAuthorities }: ServerIdentity,
  lifetime: Lifetime,
): void {
  const changes = combineLatest([certificate.value$, clientAuthorities?.value$ ?? of(undefined)]).subscribe({
    next: ([pair, authorities]) => {
      try {
        server.setSecureContext(contextOptions(tls, pair, authorities));
      } catch (error) {
        logger.error('cannot use the serving certificate', { error: errorMessage(error) });
      }
    },
    error: (error: unknown) => {
      logger.error('cannot follow the serving certificate', { error: errorMessage(error) });
    },
  });
  lifetime.defer(() => changes.unsubscribe());
}

function contextOptions(tls: TlsSettings, pair: TlsKeyPair | undefined, authorities: ClientAuthorities | undefined) {
  return {
    ...tlsContextOptions(tls),
    // An authority need not be a root.
    allowPartialTrustChain: true,
    ...(authorities !== undefined && { ca: authorities.pem }),
    ...(pair !== undefined && { cert: pair.certificatePem, key: pair.keyPem }),
  };
}
