import { type AgentModule, contribute, healthChecks, type ModuleContext } from '@rxlet/agent-api';
import { kubeClients, servingCertificate } from '@rxlet/agent-api/kube';
import type { KubeClients } from '@rxlet/kube-api/client';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { nodeStatusSetters } from '@rxlet/agent-api/node';
import { createLifetime, errorMessage, type Lifetime, sleep } from '@rxlet/component-base';
import type { CurrentValue } from '@rxlet/component-base/streams';
import { type AccessControl, createAccessControl } from './access/access-control.ts';
import { alwaysAllow, type Authorizer, createWebhookAuthorizer } from './access/authorizer.ts';
import { createTokenAuthenticator } from './access/bearer-token.ts';
import { createForeignPageCheck, type ForeignPageCheck } from './access/foreign-pages.ts';
import { identityOfCertificate } from './access/client-certificate.ts';
import { createReviewClient, type ReviewClient } from './access/review-client.ts';
import { healthRoutes } from './endpoints/health.ts';
import { kubeletHealthChecks } from './endpoints/kubelet-health-checks.ts';
import { kubeletRoutes, readOnlyRoutes } from './endpoints/kubelet-routes.ts';
import type { KubeletApiOptions } from './kubelet-api-options.ts';
import type { ConnectionLimits } from './listeners/connection-limits.ts';
import { createHttpListener } from './listeners/http-listener.ts';
import type { Listener, Served } from './listeners/serve.ts';
import type { Route } from './routing/route.ts';
import { servedCollections, serverPorts } from './server-content.ts';
import { createServerHandler } from './server-handler.ts';
import { createServerMetrics, type ServerMetrics } from './server-metrics.ts';
import { type ClientAuthorities, followAuthorities } from './tls/client-authorities.ts';
import { createHttpsListener } from './tls/https-listener.ts';
import type { SharedPort } from './tls/shared-https-server.ts';
import { unknownTlsNames } from './tls/tls-settings.ts';

/** Bounds of HTTPS, whose requests are of clients that may make them. Behind one address there may be all clients of the cluster: that of an API server. */
const HTTPS_LIMITS: ConnectionLimits = { maxRequests: 4096, maxIdle: 1024, maxIdlePerAddress: 256 };
/** Bounds of the ports that anybody may use. */
const OPEN_LIMITS: ConnectionLimits = {
  maxRequests: 256,
  maxRequestsPerAddress: 64,
  maxIdle: 256,
  maxIdlePerAddress: 64,
};
/** The API server passes WebSockets of clients on to a node that has this feature, and translates them for others. */
const DECLARED_FEATURES: readonly string[] = ['ExtendWebSocketsToKubelet'];
/** Pause before the next attempt to open the health port, as in the kubelet. */
const HEALTHZ_RETRY_MS = 5000;

/**
 * Creates the agent module that serves the kubelet's API over HTTPS to those who may use it, unless it has no port, and its health, and on request a read-only part,
 * over HTTP.
 *
 * @throws Error at set-up, when an option needs the API server and there is none
 */
export function kubeletApi(options: KubeletApiOptions): AgentModule {
  return {
    name: 'kubelet-api',
    needs: options.port === undefined || options.sharedPort !== undefined ? [] : [servingCertificate],
    uses: [kubeClients],
    collects: servedCollections,
    setup(context) {
      const lifetime = createLifetime();
      const { port } = options;
      const https = port === undefined ? undefined : securityOf(context, options, port);
      const metrics = createServerMetrics(context.metrics, context.clock);
      return {
        contributions: [
          contribute(nodeStatusSetters, {
            name: 'kubelet-api',
            contribute: () => ({ declaredFeatures: DECLARED_FEATURES }),
          }),
        ],
        start: () => start(context, options, { lifetime, metrics }, https),
        [Symbol.asyncDispose]: async () => lifetime[Symbol.asyncDispose](),
      };
    },
  };
}

/** Port of a server of the agent's own, its certificate, and the API servers that review its clients. */
interface OwnPort {
  readonly port: number;
  readonly clients: KubeClients | undefined;
  readonly certificate: Parameters<typeof createHttpsListener>[2]['certificate'];
}

/** Port of a server that other agents use too. */
interface SharedPortOfAgent extends Pick<OwnPort, 'clients'> {
  readonly sharedPort: SharedPort;
}

function securityOf(context: ModuleContext, options: KubeletApiOptions, port: number): OwnPort | SharedPortOfAgent {
  const clients = reviewersOf(context, options);
  const { sharedPort } = options;
  if (sharedPort !== undefined) return { sharedPort, clients };
  return { port, clients, certificate: context.services.get(servingCertificate) };
}

function reviewersOf(
  { services }: ModuleContext,
  { authentication, authorization }: KubeletApiOptions,
): KubeClients | undefined {
  const clients = services.find(kubeClients);
  if (clients === undefined && (authentication.webhook.enabled || authorization.mode === 'Webhook')) {
    throw new Error('tokens and permissions of clients (webhook) cannot be reviewed without an API server');
  }
  return clients;
}

interface ApiParts {
  readonly lifetime: Lifetime;
  readonly metrics: ServerMetrics;
}

async function start(
  context: ModuleContext,
  options: KubeletApiOptions,
  parts: ApiParts,
  https: OwnPort | SharedPortOfAgent | undefined,
): Promise<void> {
  const { lifetime, metrics } = parts;
  const checks = kubeletHealthChecks(context.collections.of(healthChecks));
  const createRoutes = (): readonly Route[] => {
    const ports = { ...serverPorts(context, options.content), onWebSocketStream: metrics.webSocketStream };
    return kubeletRoutes(ports, checks, options.switches);
  };
  const { address } = options;
  if (https !== undefined && 'sharedPort' in https) answerOnSharedPort(context, options, createRoutes, parts, https);
  else if (https !== undefined) await openHttps(context, options, createRoutes(), parts, https);
  const plain = (host: string, plainPort: number, served: Served): Listener =>
    createHttpListener(context, served, { address: host, port: plainPort, limits: OPEN_LIMITS });
  if (options.readOnlyPort > 0) {
    const { tracer } = options;
    const readOnly = { routes: readOnlyRoutes(createRoutes()), meter: metrics.requests, tracer };
    await open(plain(address, options.readOnlyPort, readOnly), lifetime, 'readOnlyPort (--read-only-port)');
    context.logger.info('serving a read-only API without authentication', { address, port: options.readOnlyPort });
  }
  if (options.healthzPort > 0) {
    context.logger.info('serving the health of the agent', {
      address: options.healthzBindAddress,
      port: options.healthzPort,
    });
    const health = healthRoutes(checks.filter(({ name }) => name === 'ping'));
    void lifetime.track(
      openWithRetries(
        () => plain(options.healthzBindAddress, options.healthzPort, { routes: health }),
        context,
        lifetime,
      ),
    );
  }
}

async function openHttps(
  context: ModuleContext,
  options: KubeletApiOptions,
  routes: readonly Route[],
  parts: ApiParts,
  { port, clients, certificate }: OwnPort,
): Promise<void> {
  const unknown = unknownTlsNames(options.tls);
  if (unknown.length > 0) context.logger.warn('ignored TLS settings that this agent does not have', { names: unknown });
  const { clientCaFile } = options.authentication.x509;
  const clientAuthorities =
    clientCaFile === undefined ? undefined : await followAuthorities(context, clientCaFile, parts.lifetime);
  const { address, tls } = options;
  const listener = createHttpsListener(
    context,
    {
      routes,
      access: accessControl(context, options, { ...parts, clients }, clientAuthorities),
      checkPage: foreignPageCheck(context, port),
      meter: parts.metrics.requests,
      tracer: options.tracer,
    },
    { address, port, limits: HTTPS_LIMITS, tls, certificate, clientAuthorities },
  );
  await open(listener, parts.lifetime, 'port (--port)');
  const { authentication, authorization } = options;
  const isOpen = authentication.anonymous.enabled && authorization.mode === 'AlwaysAllow';
  if (!isOpen) return context.logger.info('serving the kubelet API', { address, port });
  const fields = 'authentication.anonymous.enabled is true and authorization.mode is AlwaysAllow';
  context.logger.warn(`serving the kubelet API to everybody: ${fields}`, { address, port });
}

/** Answers on a port that is open already. Most nodes of a fleet are never asked: their handler is created for the first request. */
function answerOnSharedPort(
  context: ModuleContext,
  options: KubeletApiOptions,
  createRoutes: () => readonly Route[],
  parts: ApiParts,
  { sharedPort, clients }: SharedPortOfAgent,
): void {
  const { lifetime, metrics } = parts;
  const answering = sharedPort.answer(() =>
    createServerHandler({
      routes: createRoutes(),
      access: accessControl(context, options, { ...parts, clients }, sharedPort.clientAuthorities),
      checkPage: foreignPageCheck(context, sharedPort.port),
      meter: metrics.requests,
      tracer: options.tracer,
      logger: context.logger,
      lifetime,
      admit: sharedPort.admit,
    }),
  );
  lifetime.defer(() => answering[Symbol.dispose]());
}

/** Only a server with a page has users who open it in a browser. Others keep the kubelet's behaviour towards requests with an origin. */
function foreignPageCheck({ collections, node }: ModuleContext, port: number): ForeignPageCheck | undefined {
  const hasPage = collections.of(httpEndpoints).some(({ isPage, isLocal }) => isPage === true && isLocal !== true);
  return hasPage ? createForeignPageCheck([node.name, ...node.ips, 'localhost', '127.0.0.1'], port) : undefined;
}

function accessControl(
  { clock, random, logger, node }: ModuleContext,
  { authentication, authorization, isFineGrained, permitsStreamsByGet = false }: KubeletApiOptions,
  { lifetime, clients, metrics }: ApiParts & Pick<OwnPort, 'clients'>,
  clientAuthorities: CurrentValue<ClientAuthorities> | undefined,
): AccessControl {
  const { signal } = lifetime;
  const reviews: ReviewClient | undefined =
    clients && createReviewClient({ client: () => clients.reviews, clock, random, metrics: metrics.access, signal });
  const tokens =
    reviews && authentication.webhook.enabled
      ? createTokenAuthenticator(
          { review: reviews.reviewToken, clock, random, metrics: metrics.access.tokens },
          authentication.webhook.cacheTtlMs,
        )
      : undefined;
  const authorizer: Authorizer =
    reviews && authorization.mode === 'Webhook'
      ? createWebhookAuthorizer(
          { review: reviews.reviewAccess, clock },
          { nodeName: node.name, ...authorization.webhook },
        )
      : alwaysAllow;
  return createAccessControl(
    {
      ...(clientAuthorities !== undefined && {
        certificateOwner: (message) =>
          identityOfCertificate(message, clientAuthorities.value, clock, metrics.access.clientCertificate),
      }),
      tokens,
      authorizer,
      clock,
      logger,
    },
    { anonymous: authentication.anonymous.enabled, isFineGrained, permitsStreamsByGet },
  );
}

/** Opens a port that the agent cannot do without. `setting` is the field and the flag by which it is chosen. */
async function open(listener: Listener, lifetime: Lifetime, setting: string): Promise<void> {
  lifetime.defer(async () => listener[Symbol.asyncDispose]());
  try {
    await listener.start();
  } catch (error) {
    throw new Error(`${errorMessage(error)}; choose another with ${setting} or address (--address)`, { cause: error });
  }
}

/** Opens a port that the agent can do without for now. */
async function openWithRetries(
  create: () => Listener,
  { clock, logger }: ModuleContext,
  lifetime: Lifetime,
): Promise<void> {
  let reported = '';
  while (!lifetime.signal.aborted) {
    const listener = create();
    try {
      await listener.start();
      lifetime.defer(async () => listener[Symbol.asyncDispose]());
      return;
    } catch (error) {
      await listener[Symbol.asyncDispose]();
      const message = `${errorMessage(error)}; choose another with healthzPort (--healthz-port)`;
      if (message !== reported) logger.error('cannot open the health port, will be retried', { error: message });
      reported = message;
      await sleep(clock, HEALTHZ_RETRY_MS, lifetime.signal).catch(() => undefined);
    }
  }
}
