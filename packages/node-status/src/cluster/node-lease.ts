import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import {
  type Clock,
  createLifetime,
  createProblemLog,
  errorMessage,
  jitter,
  type Logger,
  type Random,
  sleep,
} from '@rxlet/component-base';
import type { Lease, Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';

/** Ports of {@link createNodeLease}. */
export interface NodeLeasePorts {
  /** Client without a rate limit: a late lease lets the cluster evict the node's pods. */
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>;
  /** Reads the Node object, which owns the lease. */
  readonly readNode: (signal: AbortSignal) => Promise<Node>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Options of {@link createNodeLease}. */
export interface NodeLeaseOptions {
  readonly nodeName: string;
  /** Time without a renewal after which the node counts as gone (KubeletConfiguration `nodeLeaseDurationSeconds`). Default 40. */
  readonly durationSeconds?: number | undefined;
}

/** The lease by which a cluster sees that the node lives. */
export interface NodeLease extends AsyncDisposable {
  /** Starts to renew the lease, at once and then four times within its duration. */
  start(): void;
  /** Reports that the Node object exists: a lease that could not be created for want of its owner is created now. */
  nodeExists(): void;
}

const NAMESPACE = 'kube-node-lease';
const RENEWALS = 4;
const JITTER = 0.04;
const MAX_UPDATES = 5;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 7_000;

/** Creates a {@link NodeLease}. */
export function createNodeLease(
  ports: NodeLeasePorts,
  { nodeName, durationSeconds = 40 }: NodeLeaseOptions,
): NodeLease {
  const { client, clock, random, logger } = ports;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const ref = { name: nodeName, namespace: NAMESPACE };
  let latest: Lease | undefined;
  const problems = createProblemLog(logger);
  let started = false;

  const renewed = (base: Lease | undefined): Lease => ({
    ...base,
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...base?.metadata, ...ref },
    spec: {
      ...base?.spec,
      holderIdentity: nodeName,
      leaseDurationSeconds: durationSeconds,
      renewTime: microTime(clock.now()),
    },
  });
  /** Owns the lease by the node, so that it goes with it. Rejects while there is no Node object. */
  const owned = async (lease: Lease): Promise<Lease> => {
    if ((lease.metadata?.ownerReferences ?? []).length > 0) return lease;
    const { metadata } = await ports.readNode(signal);
    const owner = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: metadata?.uid ?? '' };
    return { ...lease, metadata: { ...lease.metadata, ownerReferences: [owner] } };
  };
  /** Returns the lease of the API server; `undefined` when there is neither lease nor node. */
  const ensure = async (): Promise<{ lease: Lease; isNew: boolean } | undefined> => {
    for (let delayMs = FIRST_DELAY_MS; ;) {
      try {
        return { lease: await client.get(resources.leases, ref, { signal }), isNew: false };
      } catch (error) {
        signal.throwIfAborted();
        if (isKubeError(error, 'NotFound')) {
          const lease = await owned(renewed(undefined)).catch(() => undefined);
          if (lease === undefined) return undefined;
          const created = await client.create(resources.leases, lease, { signal }).catch(recordFailure);
          if (created !== undefined) return { lease: created, isNew: true };
        } else {
          recordFailure(error);
        }
      }
      delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
      await sleep(clock, delayMs, signal);
    }
  };
  const recordFailure = (error: unknown): undefined => {
    signal.throwIfAborted();
    problems.failed('cannot renew the lease of the node; it is tried again', {
      node: nodeName,
      error: errorMessage(error),
    });
  };
  /** Updates from memory, because the agent alone writes the lease: that saves a request. */
  const update = async (from: Lease): Promise<boolean> => {
    let base = from;
    for (let attempt = 0; attempt < MAX_UPDATES; attempt += 1) {
      try {
        const lease = renewed(base);
        latest = await client.update(resources.leases, await owned(lease).catch(() => lease), { signal });
        problems.ended();
        return true;
      } catch (error) {
        recordFailure(error);
        if (!isKubeError(error, 'Conflict')) continue;
        base = (await ensure())?.lease ?? base;
      }
    }
    return false;
  };
  const renew = async (): Promise<void> => {
    if (latest !== undefined && (await update(latest))) return;
    latest = undefined;
    const found = await ensure();
    if (found === undefined) return;
    latest = found.lease;
    if (found.isNew) problems.ended();
    else await update(found.lease);
  };
  /** Aborts when the Node object appears. A new one for each round, so that no appearance is missed. */
  let appearance = new AbortController();
  const run = async (): Promise<void> => {
    for (;;) {
      appearance = new AbortController();
      await renew();
      const pauseMs = jitter(random, (durationSeconds * 1000) / RENEWALS, JITTER);
      if (latest !== undefined) await sleep(clock, pauseMs, signal);
      else
        await sleep(clock, pauseMs, AbortSignal.any([signal, appearance.signal])).catch(() => signal.throwIfAborted());
    }
  };

  return {
    start() {
      if (started) return;
      started = true;
      lifetime.track(run()).catch((error: unknown) => {
        if (!signal.aborted)
          logger.error('the lease of the node is not renewed any more', { error: errorMessage(error) });
      });
    },
    nodeExists: () => appearance.abort(),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Formats a time as `metav1.MicroTime`: six digits after the second. */
function microTime(epochMs: number): string {
  const micros = String(Math.floor(epochMs * 1000) % 1_000_000).padStart(6, '0');
  return `${new Date(epochMs).toISOString().slice(0, 19)}.${micros}Z`;
}
