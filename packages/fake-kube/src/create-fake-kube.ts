import { createLifetime, errorMessage, noopLogger, sleep } from '@rxlet/component-base';
import { createStateSaver } from '@rxlet/node-files/state-file';
import { ApiError } from './api-error.ts';
import { allowAll } from './auth/authorization.ts';
import { nodeAuthorizer } from './auth/node-authorizer.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import { createTokenIssuer } from './auth/service-account-tokens.ts';
import { admin, anonymous, type User } from './auth/user.ts';
import { builtinResources } from './builtin-resources.ts';
import { createCertificateAuthority, type CertificateAuthority } from './certificates/certificate-authority.ts';
import { startCertificateSigner } from './certificates/certificate-signer.ts';
import { startControllers } from './controllers/start-controllers.ts';
import { workloadTypes } from './controllers/workloads.ts';
import type { FakeKube, FakeKubeOptions, FakeKubePorts } from './fake-kube.ts';
import { createFaultScript } from './faults/faults.ts';
import { faultSubjectOf, withFault } from './faults/with-fault.ts';
import { createNodeConnections, type UpgradeConnection } from './node-proxy/node-connections.ts';
import { createFakeObjects, findType, type ResourceName } from './objects/fake-objects.ts';
import { createObjectService } from './objects/object-service.ts';
import { createOpenWatches, type WatchMatch } from './request/open-watches.ts';
import { type ObjectRequest, parseObjectRequest } from './request/parse-request.ts';
import type { ResourceType } from './resource-type.ts';
import { startScheduler } from './scheduler/start-scheduler.ts';
import {
  type ApiRequest,
  type ApiResponse,
  ConnectionLostError,
  errorResponse,
  type RoutedResponse,
  textResponse,
} from './server/api-message.ts';
import { CONTROL_PATH, type ControlPorts, handleControl } from './server/control.ts';
import { discover } from './server/discovery.ts';
import { handleObjects } from './server/handle-objects.ts';
import { createRequestLog } from './server/request-log.ts';
import { loadState, savedEntries } from './state/load-state.ts';
import { formatSavedState } from './state/saved-state.ts';
import { createObjectStore } from './store/object-store.ts';

/** A request as far as it could be read. */
interface ParsedRequest {
  readonly user: User;
  readonly request: ObjectRequest | undefined;
  readonly error?: unknown;
}

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * Creates an API server with the namespaces of an empty cluster.
 *
 * @example
 * ```ts
 * import { seededRandom } from '@rxlet/component-base';
 * import { createVirtualClock } from '@rxlet/component-base/testing';
 * import { createFakeKube } from '@rxlet/fake-kube';
 * import { resources } from '@rxlet/kube-api/resources';
 *
 * await using kube = createFakeKube({ clock: createVirtualClock(), random: seededRandom(1) });
 * kube.objects.create(resources.pods, {
 *   metadata: { name: 'web', namespace: 'default' },
 *   spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
 * });
 * kube.objects.bind('default', 'web', 'node1');
 * ```
 */
export function createFakeKube(
  { clock, random, logger = noopLogger, stateStore }: FakeKubePorts,
  options: FakeKubeOptions = {},
): FakeKube {
  const { latencyMs = 0, bookmarkPeriodMs = 60_000, hasStreamingLists = true, historyLimit = 10_000 } = options;
  const { version = { major: '1', minor: '36', gitVersion: 'v1.36.2' } } = options;
  const hasControllers = options.controllers === true;
  const types: readonly ResourceType[] = [
    ...builtinResources,
    ...(hasControllers ? Object.values(workloadTypes) : []),
    ...(options.resources ?? []),
  ];
  const typeOf = (resource: ResourceName): ResourceType => findType(types, resource);
  const namespaces = typeOf({ group: '', plural: 'namespaces' });
  const pods = typeOf({ group: '', plural: 'pods' });
  const secrets = typeOf({ group: '', plural: 'secrets' });
  const certificateRequests = typeOf({ group: 'certificates.k8s.io', plural: 'certificatesigningrequests' });
  const lifetime = createLifetime();
  const store = createObjectStore({ historyLimit });
  lifetime.defer(store.complete);
  const service = createObjectService(store, namespaces);
  const saved = stateStore && loadState(stateStore, logger);
  if (saved !== undefined) store.restore(savedEntries(saved, types, logger), saved.revision);
  const tokenKey = saved?.tokenKey ?? random.hex(32);
  const tokens = createTokenIssuer({ clock, random }, tokenKey);
  const faults = createFaultScript();
  const log = createRequestLog();
  const watches = createOpenWatches({ store, clock }, { bookmarkPeriodMs, hasStreamingLists });
  const hasNodeRules = options.authorization === 'node';
  const context = { clock, random, user: admin };
  let isRunning = true;
  let staleRevisions = 0;

  for (const name of saved === undefined ? NAMESPACES : []) {
    service.create(namespaces, undefined, { metadata: { name } }, context);
  }

  const handlers = {
    clock,
    random,
    store,
    service,
    tokens,
    openWatch: watches.open,
    authorize: hasNodeRules ? nodeAuthorizer(store, types, options.permissions) : allowAll,
    isNodeRestricted: hasNodeRules,
    staleRevisions: () => staleRevisions,
  };

  const capture = (): string =>
    formatSavedState({
      revision: store.revision,
      objects: store.all().map(({ object }) => object),
      tokenKey,
      authority: authorityPair,
    });
  const saver =
    stateStore &&
    createStateSaver(stateStore, capture, (error) =>
      logger.error('cannot save the state', { error: errorMessage(error) }),
    );
  if (saver !== undefined) {
    saver.touch();
    const subscription = store.changes$.subscribe({ next: saver.touch, error: () => undefined });
    lifetime.defer(async () => {
      subscription.unsubscribe();
      await saver.saved();
    });
  }

  const authenticate = createAuthenticator(
    { clock, tokens, systemSecrets: () => store.list(secrets, 'kube-system') },
    options.tokens ?? {},
  );

  const parse = (message: ApiRequest, url: URL): ParsedRequest => {
    let user = anonymous;
    try {
      user = authenticate(message);
      return { user, request: parseObjectRequest(message.method, url, types) };
    } catch (error) {
      return { user, request: undefined, error };
    }
  };

  const control: ControlPorts = {
    faults,
    requests: log.records,
    cutWatches: (match) => cutWatches(match),
    compact: store.compact,
    setStaleness: (revisions) => void (staleRevisions = revisions),
    outage(ms) {
      // After the answer to this request.
      const begin = clock.setTimer(0, stop);
      const end = clock.setTimer(ms, start);
      lifetime.defer(() => {
        begin[Symbol.dispose]();
        end[Symbol.dispose]();
      });
    },
  };

  const answer = (message: ApiRequest, request: ObjectRequest | undefined, user: User, url: URL): RoutedResponse => {
    if (request !== undefined) return handleObjects(handlers, message, request, user);
    if (url.pathname.startsWith(CONTROL_PATH)) return handleControl(control, message, url, user);
    const found = message.method === 'GET' ? discover(url.pathname, types, version) : undefined;
    return found ?? textResponse(404, '404 page not found\n');
  };

  const rejected = (error: unknown): ApiResponse => {
    if (error instanceof ApiError) return errorResponse(error);
    logger.error('cannot handle a request', { error: errorMessage(error) });
    return errorResponse(new ApiError('InternalError', `Internal error occurred: ${errorMessage(error)}`));
  };

  const process = async (message: ApiRequest): Promise<RoutedResponse> => {
    const signal = message.signal === undefined ? lifetime.signal : AbortSignal.any([lifetime.signal, message.signal]);
    signal.throwIfAborted();
    if (!isRunning) throw new ConnectionLostError('ECONNREFUSED');
    const url = new URL(message.path, 'http://server');
    const parsed = parse(message, url);
    const record = log.add(message, parsed.user.name, clock.now());
    const fault = faults.take(faultSubjectOf(message, parsed));
    const delayMs = Math.max(latencyMs, fault?.delayMs ?? 0);
    if (delayMs > 0) await sleep(clock, delayMs, signal);
    const response = await withFault(fault?.action, parsed.request?.verb === 'watch', signal, () => {
      if (!isRunning) throw new ConnectionLostError('ECONNRESET');
      try {
        return parsed.error === undefined ? answer(message, parsed.request, parsed.user, url) : rejected(parsed.error);
      } catch (error) {
        return rejected(error);
      }
    });
    await saver?.saved();
    record.finish(response.status);
    return response;
  };

  const handle = async (message: ApiRequest): Promise<ApiResponse> => {
    const response = await process(message);
    if (response.route === undefined) return response;
    return connections.send(response.route, message).catch(rejected);
  };

  const upgrade = async (message: ApiRequest, connection: UpgradeConnection): Promise<ApiResponse | undefined> => {
    const response = await process(message);
    if (response.route === undefined) return response;
    try {
      await connections.join(response.route, message.method, connection);
      return undefined;
    } catch (error) {
      return rejected(error);
    }
  };

  const cutWatches = (match?: WatchMatch): number => watches.cut(new ConnectionLostError('ECONNRESET'), match);
  lifetime.defer(() => void cutWatches());
  const stop = (): void => {
    isRunning = false;
    cutWatches();
  };
  const start = (): void => {
    if (!isRunning) store.compact();
    isRunning = true;
  };

  let authorityPair = saved?.authority;
  let created: Promise<CertificateAuthority> | undefined;
  const openAuthority = async (): Promise<CertificateAuthority> => {
    const { certificatePem, keyPem, ...rest } = await createCertificateAuthority({ clock, random }, authorityPair);
    authorityPair = { certificatePem, keyPem };
    saver?.touch();
    await saver?.saved();
    return { certificatePem, keyPem, ...rest };
  };
  const authority = (): Promise<CertificateAuthority> => (created ??= openAuthority());
  const connections = createNodeConnections(authority);
  const signer = startCertificateSigner({ store, authority, logger }, certificateRequests, {
    approvesNodes: options.approvesNodeCertificates ?? true,
  });
  lifetime.defer(() => signer[Symbol.dispose]());
  if (options.schedules === true) {
    const types = { pods, nodes: typeOf({ group: '', plural: 'nodes' }) };
    const scheduler = startScheduler({ store, clock, logger }, types);
    lifetime.defer(() => scheduler[Symbol.dispose]());
  }

  if (hasControllers) {
    const types = {
      pods,
      nodes: typeOf({ group: '', plural: 'nodes' }),
      services: typeOf({ group: '', plural: 'services' }),
    };
    const controllers = startControllers({ store, service, clock, random, logger, context, types });
    lifetime.defer(() => controllers[Symbol.dispose]());
  }

  return {
    handle: (request) => lifetime.track(handle(request)),
    upgrade: (request, connection) => lifetime.track(upgrade(request, connection)),
    objects: createFakeObjects({ clock, random, store, service }, types),
    faults,
    requests: log.records,
    cutWatches,
    freezeWatches: watches.freeze,
    compact: store.compact,
    setStaleness: (revisions) => void (staleRevisions = revisions),
    setReplay: watches.setReplay,
    stop,
    start,
    get isRunning() {
      return isRunning;
    },
    authority,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
