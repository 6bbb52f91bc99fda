import type { ClusterTrustBundles } from '@rxlet/agent-api/kube';
import { isKubeError, type KubeClient, type ObjectWatch } from '@rxlet/kube-api/client';
import {
  type Clock,
  createLifetime,
  errorMessage,
  type Logger,
  type Random,
  withDeadline,
} from '@rxlet/component-base';
import { waitUntil } from '@rxlet/component-base/streams';
import { type ClusterTrustBundle, type KubeResource, resources } from '@rxlet/kube-api/resources';
import { matchesSelector, trustAnchors } from './trust-anchors.ts';

/** Ports of {@link createWatchedTrustBundles}. */
export interface WatchedTrustBundlesPorts {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Trust bundles of the cluster, which are watched from their first use on. */
export interface WatchedTrustBundles extends ClusterTrustBundles, AsyncDisposable {}

const SYNC_TIMEOUT_MS = 10_000;
const VERSIONS: readonly string[] = ['v1beta1', 'v1alpha1'];
const FAILED = 'failed to ensure informer manager for ClusterTrustBundles';

/** Creates {@link WatchedTrustBundles} (kubelet: LazyInformerManager). */
export function createWatchedTrustBundles({
  client,
  clock,
  random,
  logger,
}: WatchedTrustBundlesPorts): WatchedTrustBundles {
  const lifetime = createLifetime();
  /** Constant for this agent, so that files change only with their content. */
  const seed = random.hex(16);
  let opening: Promise<ObjectWatch<ClusterTrustBundle>> | undefined;

  /** Returns the resource in a version that the API server has. */
  const servedResource = async (): Promise<KubeResource<ClusterTrustBundle>> => {
    for (const version of VERSIONS) {
      const resource = { ...resources.clusterTrustBundles, version };
      try {
        await client.list(resource, { limit: 1, signal: lifetime.signal });
        return resource;
      } catch (error) {
        if (isKubeError(error, 'NotFound')) continue;
        const cause = `failed to determine which informer manager to choose: ${errorMessage(error)}`;
        throw new Error(`${FAILED}: ${cause}`, { cause: error });
      }
    }
    throw new Error('ClusterTrustBundle projection is not supported in static kubelet mode');
  };

  const open = async (): Promise<ObjectWatch<ClusterTrustBundle>> => {
    const resource = await servedResource();
    const watch = client.watch(resource);
    lifetime.defer(() => watch[Symbol.asyncDispose]());
    watch.start();
    logger.info('trust bundles are watched', { version: resource.version });
    return watch;
  };

  const synced = async (signal: AbortSignal | undefined): Promise<ObjectWatch<ClusterTrustBundle>> => {
    lifetime.signal.throwIfAborted();
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    const watch = await opening;
    if (!watch.isSynced)
      await withDeadline(clock, SYNC_TIMEOUT_MS, signal, (bounded) =>
        waitUntil(watch.changes$, () => watch.isSynced, AbortSignal.any([bounded, lifetime.signal])),
      ).catch(() => undefined);
    signal?.throwIfAborted();
    if (!watch.isSynced) throw new Error('ClusterTrustBundle informer has not yet synced');
    return watch;
  };

  return {
    async byName(name, allowMissing, signal) {
      const found = (await synced(signal)).find({ name });
      if (found === undefined && !allowMissing)
        throw new Error(`while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "${name}" not found`);
      return found === undefined ? '' : trustAnchors([found], seed);
    },
    async bySigner(signerName, selector, allowMissing, signal) {
      const found = (await synced(signal))
        .list()
        .filter(({ metadata, spec }) => spec?.signerName === signerName && matchesSelector(selector, metadata?.labels));
      if (found.length === 0 && !allowMissing)
        throw new Error('combination of signerName and labelSelector matched zero ClusterTrustBundles');
      return trustAnchors(found, seed);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
