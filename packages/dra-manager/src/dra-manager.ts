import { PodStepError } from '@rxlet/agent-api';
import type { ContainerAdditions } from '@rxlet/agent-api/containers';
import type { Journal } from '@rxlet/agent-api/journal';
import type { AssignedClaim } from '@rxlet/agent-api/node';
import type { PluginHandler } from '@rxlet/agent-api/plugins';
import {
  abortable,
  type Clock,
  createLifetime,
  errorMessage,
  type Logger,
  type Random,
  sleep,
} from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { Container, EphemeralContainer, Pod, ResourceStatus, ResourceV1ResourceClaim } from '@rxlet/kube-api';
import type { KubeClient } from '@rxlet/kube-api/client';
import type { NodeFiles } from '@rxlet/node-files';
import { createCheckpointFile } from '@rxlet/node-files/state-file';
import { CheckpointError } from '@rxlet/pod-model/resize';
import type { Observable } from 'rxjs';
import { CLAIM_CHECKPOINT, formatClaimCheckpoint, parseClaimCheckpoint } from './checkpoint/claim-checkpoint.ts';
import { assignedClaims } from './claims/assigned-claims.ts';
import { createClaimPreparation } from './claims/claim-preparation.ts';
import { type ClaimRecord, createClaimRecords } from './claims/claim-record.ts';
import { cdiDevicesOf } from './claims/container-devices.ts';
import { createDraMetrics } from './dra-metrics.ts';
import { claimHealth } from './health/claim-health.ts';
import { createHealthStore } from './health/health-store.ts';
import type { ConnectDraPlugin } from './plugins/dra-plugin.ts';
import { createPluginRegistry } from './plugins/plugin-registry.ts';
import { createStaleSlices } from './slices/stale-slices.ts';

/** Ports of {@link createDraManager}. */
export interface DraManagerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Gets a span for each call of a plugin. Default: none. */
  readonly journal?: Journal | undefined;
  readonly files: Pick<NodeFiles, 'readPrivate' | 'replaceFile'>;
  /** Removes ResourceSlices. */
  readonly client: Pick<KubeClient, 'deleteCollection'>;
  readonly connect: ConnectDraPlugin;
  /** Reads a ResourceClaim from the API server, without a cache. */
  readClaim(namespace: string, name: string, signal: AbortSignal | undefined): Promise<ResourceV1ResourceClaim>;
  /** Reports whether a pod may still use its claims. Nothing is unprepared while all pods are not known: it returns `true` then. */
  mayUseClaims(podUid: string): boolean;
}

/** Options of {@link createDraManager}. */
export interface DraManagerOptions {
  readonly nodeName: string;
  readonly rootDirectory: string;
  /** Whether DRA drivers provide extended resources (feature gate `DRAExtendedResource`). */
  readonly extendedResources: boolean;
  /** Whether the health of devices is watched and reported (feature gate `ResourceHealthStatus`). */
  readonly healthStatus: boolean;
  /** Whether reports of health have messages (feature gate `ResourceHealthStatusMessage`). */
  readonly healthMessages: boolean;
}

/** Prepares ResourceClaims by the plugins of DRA drivers, and gives their devices to containers (kubelet: DRA manager). */
export interface DraManager extends AsyncDisposable {
  /**
   * Restores the claims of earlier pods, and removes the ResourceSlices of the node.
   *
   * @throws ClaimStateError when the checkpoint cannot be used
   */
  start(): Promise<void>;
  /** Handler of plugins that the plugin watcher finds. */
  readonly handler: PluginHandler;
  /** Prepares the claims of a pod before its sandbox is created. Rejects with `PodStepError` and the kubelet's message. */
  prepare(pod: Pod, signal?: AbortSignal): Promise<void>;
  /** Unprepares the claims of a pod whose containers have stopped, unless other pods use them. */
  unprepare(podUid: string, signal?: AbortSignal): Promise<void>;
  /** Returns the devices of a container; `undefined` when it has none. @throws Error for a claim that was never prepared */
  additions(pod: Pod, container: Container | EphemeralContainer): ContainerAdditions | undefined;
  /** Returns the claims of a container with their devices. */
  assigned(pod: Pod, containerName: string): readonly AssignedClaim[];
  /** UIDs of pods that use a device whose health has changed. Hot. */
  readonly healthChanges$: Observable<string>;
  /** Returns the health of the devices of a main container. */
  resourceHealth(pod: Pod, containerName: string): readonly ResourceStatus[];
  /** Returns the state for people. */
  inspect(): unknown;
}

/** The checkpoint of claims cannot be used. Nothing else knows what is prepared, so the agent does not start. */
export class ClaimStateError extends Error {
  override readonly name = 'ClaimStateError';
}

const RECONCILE_PERIOD_MS = 60_000;

/** Creates a {@link DraManager}. */
export function createDraManager(ports: DraManagerPorts, options: DraManagerOptions): DraManager {
  const { clock, logger, files } = ports;
  const { nodeName, rootDirectory, healthStatus, healthMessages } = options;
  const lifetime = createLifetime();
  const restored = Promise.withResolvers<void>();
  const records = createClaimRecords();
  const metrics = createDraMetrics(ports.metrics, records.list);
  const health = createHealthStore({ clock, files, logger, records }, rootDirectory);
  const slices = createStaleSlices({ ...ports, nodeName });
  const plugins = createPluginRegistry({
    clock,
    logger,
    connect: ports.connect,
    usabilityChanged: slices.usabilityChanged,
    healthReported: healthStatus ? health.report : undefined,
    healthEnded: health.clear,
    called: metrics.call,
  });
  const path = `${rootDirectory}/${CLAIM_CHECKPOINT}`;
  const checkpoint = createCheckpointFile(files, path, () => formatClaimCheckpoint(records.list()));
  const preparation = createClaimPreparation(
    {
      ...{ records, journal: ports.journal, readClaim: ports.readClaim, plugin: plugins.find },
      save: () => checkpoint.write(),
    },
    options,
  );

  const measured = async (name: 'PrepareResources' | 'UnprepareResources', work: Promise<void>): Promise<void> => {
    const startMs = clock.monotonicNow();
    const ended = (isError: boolean): void => metrics.operation(name, isError, clock.monotonicNow() - startMs);
    await work.then(
      () => ended(false),
      (error: unknown) => {
        ended(true);
        throw error;
      },
    );
  };

  const restore = async (): Promise<void> => {
    let text: string | undefined;
    try {
      text = await checkpoint.read();
      if (text !== undefined) for (const record of parseClaimCheckpoint(text)) records.add(record);
    } catch (error) {
      const problem = `failed to get checkpoint ${CLAIM_CHECKPOINT}: ${errorMessage(error)}`;
      // A file that cannot be read now may be intact.
      const isDamaged = error instanceof CheckpointError;
      const advice = isDamaged ? `; please drain this node and delete ${path} before restarting the agent` : '';
      const message = `create ResourceClaim cache: GetOrCreate() on checkpoint state: ${problem}${advice}`;
      throw new ClaimStateError(message, { cause: error });
    }
    if (text === undefined) await checkpoint.write();
  };

  /** Unprepares the claims of pods that are gone without having been terminated by this agent. */
  const reconcile = async (): Promise<void> => {
    const gone = new Set(records.list().flatMap(({ podUids }) => [...podUids])).values();
    const unprepare = async (podUid: string): Promise<void> => {
      try {
        await preparation.unprepare(podUid, lifetime.signal);
      } catch (error) {
        if (!lifetime.signal.aborted)
          logger.warn('cannot unprepare the claims of a pod that is gone, will be retried', {
            podUid,
            error: errorMessage(error),
          });
      }
    };
    // Side by side: a driver that hangs delays its own claims only.
    await Promise.all([...gone].filter((podUid) => !ports.mayUseClaims(podUid)).map(unprepare));
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(clock, RECONCILE_PERIOD_MS, lifetime.signal);
      await reconcile();
    }
  };

  return {
    async start() {
      await restore();
      if (healthStatus) await health.restore();
      restored.resolve();
      slices.start();
      void lifetime.track(run()).catch(() => undefined);
    },
    handler: {
      ...plugins.handler,
      async register(plugin, signal) {
        // The plugin watcher starts earlier. A report of health before the restore would overwrite the file.
        await abortable(restored.promise, AbortSignal.any([signal, lifetime.signal]));
        await plugins.handler.register(plugin, signal);
      },
    },
    async prepare(pod, signal) {
      try {
        await measured('PrepareResources', preparation.prepare(pod, signal));
      } catch (error) {
        signal?.throwIfAborted();
        const message = `Failed to prepare dynamic resources: prepare dynamic resources: ${errorMessage(error)}`;
        throw new PodStepError('FailedPrepareDynamicResources', message, { cause: error });
      }
    },
    async unprepare(podUid, signal) {
      try {
        await measured('UnprepareResources', preparation.unprepare(podUid, signal));
      } catch (error) {
        signal?.throwIfAborted();
        throw new Error(`unprepare dynamic resources: ${errorMessage(error)}`, { cause: error });
      }
    },
    additions(pod, container) {
      const cdiDevices = cdiDevicesOf(records, pod, container, options);
      if (cdiDevices.length === 0) return undefined;
      return { environment: {}, annotations: {}, mounts: [], devices: [], cdiDevices };
    },
    assigned: (pod, containerName) => assignedClaims(records, pod, containerName, options),
    healthChanges$: health.changedPods$,
    resourceHealth: (pod, containerName) =>
      claimHealth(records, pod, containerName, (driver, device) => {
        const current = health.of(driver, device);
        return healthMessages ? current : { ...current, message: '' };
      }),
    inspect: () => ({ plugins: plugins.inspect(), claims: records.list().map(describeRecord) }),
    async [Symbol.asyncDispose]() {
      await plugins[Symbol.asyncDispose]();
      await slices[Symbol.asyncDispose]();
      await lifetime[Symbol.asyncDispose]();
      await health[Symbol.asyncDispose]();
    },
  };
}

function describeRecord({ uid, namespace, name, podUids, drivers, isPrepared }: ClaimRecord) {
  return { uid, namespace, name, isPrepared, podUids: [...podUids], drivers: Object.fromEntries(drivers) };
}
