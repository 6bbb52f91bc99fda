import type { AdmissionRejection } from '@rxlet/agent-api';
import type { ContainerAdditions } from '@rxlet/agent-api/containers';
import type { DeviceAmounts, NodeDevices } from '@rxlet/agent-api/node';
import type { PluginHandler } from '@rxlet/agent-api/plugins';
import type { HintProvider } from '@rxlet/agent-api/topology';
import {
  abortable,
  type Clock,
  createLifetime,
  createSemaphore,
  errorMessage,
  type Logger,
} from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import { createEmitter } from '@rxlet/component-base/streams';
import type { Container, EphemeralContainer, Pod, ResourceStatus } from '@rxlet/kube-api';
import type { NodeFiles } from '@rxlet/node-files';
import { createCheckpointFile } from '@rxlet/node-files/state-file';
import { formatPod, podContainers, podUid } from '@rxlet/pod-model';
import type { Observable } from 'rxjs';
import { containerAdditions } from './allocation/container-additions.ts';
import { createDeviceAllocator, requestedDevices } from './allocation/device-allocator.ts';
import { createPodDevices } from './allocation/pod-devices.ts';
import { prepareDevices } from './allocation/prepare-devices.ts';
import { describeAllocations, devicesOfContainer, healthOfDevices, healthyDevices } from './assigned-devices.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint/checkpoint-format.ts';
import { checkpointOf, restoreCheckpoint } from './checkpoint/device-state.ts';
import { createDeviceManagerMetrics } from './device-manager-metrics.ts';
import { createDeviceInventory } from './plugins/device-inventory.ts';
import type { PluginDevice, PluginOptions } from './plugins/device.ts';
import type { ConnectDevicePlugin } from './plugins/device-plugin.ts';
import { createPluginConnections } from './plugins/plugin-connections.ts';
import { isExtendedResource } from './registration/check-registration.ts';
import { preparePluginDirectory } from './registration/plugin-directory.ts';
import { createPluginRegistration } from './registration/plugin-registration.ts';
import type { RegistrationRequest } from './registration/registration-handler.ts';
import { REGISTRATION_SOCKET, type ServeRegistration, serveRegistration } from './registration/serve-registration.ts';

/** Name of the checkpoint in the directory of device plugins. */
const CHECKPOINT_NAME = 'kubelet_internal_checkpoint';
const DIRECTORY_MODE = 0o750;

/** Ports of {@link createDeviceManager}. */
export interface DeviceManagerPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly files: Pick<NodeFiles, 'makeDirectory' | 'list' | 'stat' | 'removeFile' | 'readPrivate' | 'replaceFile'>;
  readonly connect: ConnectDevicePlugin;
  /** Serves the registration at the path of a socket. Default: gRPC on that socket. */
  readonly serve?: ServeRegistration | undefined;
  /** Reports whether a pod may still use its devices. Nothing is freed while all pods are not known: it returns `true` then. */
  mayUseDevices(podUid: string): boolean;
  /** Returns the UIDs of the pods of which a container runs. Called once, at start. */
  runningPods(signal: AbortSignal): Promise<ReadonlySet<string>>;
}

/** Registers device plugins and assigns their devices to containers (kubelet: device manager). */
export interface DeviceManager extends AsyncDisposable {
  /** Restores the checkpoint and serves the registration. A socket that cannot be opened is reported by {@link DeviceManager.problem}. */
  start(signal: AbortSignal): Promise<void>;
  /** Registers a plugin. A rejection is its answer. */
  register(request: RegistrationRequest, signal?: AbortSignal): Promise<void>;
  /** Handler of plugins that the plugin watcher finds. */
  readonly handler: PluginHandler;
  /** Reports whether a pod requests devices of plugins. */
  requestsDevices(pod: Pod): boolean;
  /** Allocates the devices of a pod. Returns the rejection of a pod that cannot have them. */
  admit(pod: Pod, signal?: AbortSignal): Promise<AdmissionRejection | undefined>;
  /** Allocates the devices of single containers, aligned with their other resources. Takes the place of {@link DeviceManager.admit}. */
  readonly hintProvider: HintProvider;
  /** Prepares the devices of a container, and returns what it needs in order to use them; `undefined` when it has none. */
  additions(
    pod: Pod,
    container: Container | EphemeralContainer,
    signal?: AbortSignal,
  ): Promise<ContainerAdditions | undefined>;
  /** Frees the devices of pods that no longer use them, and removes resources whose plugins have been gone for too long. */
  freeDevices(): Promise<void>;
  /** Reports whether a resource is one of devices, now or in an allocation. */
  isDeviceResource(name: string): boolean;
  readonly devices: NodeDevices;
  /** UIDs of pods that have a device whose health has changed. Hot. */
  readonly healthChanges$: Observable<string>;
  /** Returns the health of a container's devices, as their plugins reported it last. */
  resourceHealth(podUid: string, containerName: string): readonly ResourceStatus[];
  /** Returns why plugins cannot register; `undefined` when they can. */
  problem(): string | undefined;
  /** Returns the state for people. */
  inspect(): unknown;
}

/** Creates a {@link DeviceManager} for a directory, such as `/var/lib/kubelet/device-plugins`. */
export function createDeviceManager(ports: DeviceManagerPorts, directory: string): DeviceManager {
  const { clock, logger, files, serve = serveRegistration } = ports;
  const lifetime = createLifetime();
  const metrics = createDeviceManagerMetrics(ports.metrics);
  const inventory = createDeviceInventory(clock);
  const podDevices = createPodDevices();
  const checkpoint = createCheckpointFile(files, `${directory}/${CHECKPOINT_NAME}`, () =>
    formatCheckpoint(checkpointOf(podDevices, inventory)),
  );
  const healthChanges = createEmitter<string>();
  /** Options of the plugins that were connected, also of those that are gone. */
  const lastOptions = new Map<string, PluginOptions>();
  /** One allocation at a time: each depends on the devices in use. */
  const turns = createSemaphore(1);
  /** Pods that an earlier agent has admitted; their plugins may come later than they. */
  let runningAtStart = new Set<string>();
  const restored = Promise.withResolvers<void>();
  let wereUnknown = false;
  let problem: string | undefined;

  const saveInBackground = (): void => {
    const saved = checkpoint.write().catch((error: unknown) => {
      logger.error('cannot write the checkpoint of devices', { error: errorMessage(error) });
    });
    void lifetime.track(saved);
  };
  const notifyPods = (resource: string, deviceIds: readonly string[]): void => {
    if (deviceIds.length === 0) return;
    for (const uid of podDevices.podsWith(resource, new Set(deviceIds))) healthChanges.emit(uid);
  };
  const connections = createPluginConnections({
    clock,
    logger,
    connect: ports.connect,
    hasRoomFor: (resource) => inventory.hasRoomFor(resource),
    connected(resource) {
      inventory.connected(resource);
      const { options } = connections.find(resource) ?? {};
      if (options !== undefined) lastOptions.set(resource, options);
      logger.info('a device plugin is connected', { resource });
    },
    listed(resource, devices: readonly PluginDevice[]) {
      notifyPods(resource, inventory.list(resource, devices));
      saveInBackground();
    },
    disconnected(resource) {
      inventory.disconnected(resource);
      logger.info('a device plugin is gone', { resource });
    },
  });
  const isDeviceResource = (name: string): boolean =>
    isExtendedResource(name) && (inventory.has(name) || podDevices.resources().has(name));
  const requestingContainers = (pod: Pod): readonly Container[] =>
    [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].filter(
      (container) => requestedDevices(pod, container, isDeviceResource).length > 0,
    );
  const optionsOf = (resource: string): PluginOptions | undefined => lastOptions.get(resource);
  const devicePorts = { clock, inventory, podDevices, connections, metrics, isDeviceResource, optionsOf };
  const allocator = createDeviceAllocator(devicePorts);

  /** Frees the devices of pods that no longer use them, except one. Returns whether there were any. */
  const free = (exceptUid?: string): boolean => {
    const ended = podDevices.podUids().filter((uid) => uid !== exceptUid && !ports.mayUseDevices(uid));
    for (const uid of ended) podDevices.replace(uid, undefined);
    return ended.length > 0;
  };
  /** Allocates and saves. A pod whose devices cannot be saved keeps none of them, because a restart would give them to another one. */
  const allocate = (
    pod: Pod,
    containers: readonly Container[],
    numaNodes: readonly number[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> =>
    turns.run(async () => {
      const uid = podUid(pod);
      free(uid);
      const before = podDevices.get(uid);
      if (!(await allocator.allocate(pod, containers, numaNodes, signal))) return;
      try {
        await checkpoint.write();
      } catch (error) {
        podDevices.replace(uid, before);
        throw error;
      }
    }, signal);

  const registration = createPluginRegistration(
    { clock, files, connections, logger, requested: (resource) => metrics.registered(resource) },
    directory,
  );
  const restore = async (): Promise<void> => {
    try {
      await files.makeDirectory(directory, DIRECTORY_MODE);
      const content = await checkpoint.read();
      wereUnknown = content === undefined;
      if (content !== undefined) restoreCheckpoint(parseCheckpoint(content), podDevices, inventory, logger);
    } catch (error) {
      logger.error('cannot read the checkpoint of devices; allocations of earlier pods are not known', {
        path: `${directory}/${CHECKPOINT_NAME}`,
        error: errorMessage(error),
      });
    }
  };
  /** Lists the running pods, if any pod has devices: most nodes have none. */
  const listRunning = async (signal: AbortSignal): Promise<void> => {
    if (inventory.resources().length === 0 && podDevices.podUids().length === 0) return;
    try {
      runningAtStart = new Set(await ports.runningPods(signal));
    } catch (error) {
      signal.throwIfAborted();
      // Healthy pods must not end because one list failed.
      runningAtStart = new Set(podDevices.podUids());
      logger.error('cannot list the running containers; all pods with devices keep them', {
        error: errorMessage(error),
      });
    }
  };
  const listen = async (): Promise<void> => {
    try {
      await preparePluginDirectory({ files, logger }, directory, REGISTRATION_SOCKET);
      const server = await serve(registration.register, `${directory}/${REGISTRATION_SOCKET}`, logger);
      lifetime.defer(() => server[Symbol.asyncDispose]());
    } catch (error) {
      problem = `device registration error: device plugin registration gRPC server failed and no device plugins can register: ${errorMessage(error)}`;
      logger.error('cannot serve the registration of device plugins', { error: errorMessage(error) });
    }
  };
  /** Removes the resources of plugins that have been gone for too long, and returns the amounts of all others, and whether some were removed. */
  const currentAmounts = (): { readonly amounts: DeviceAmounts; readonly hasChanged: boolean } => {
    const before = inventory.resources().length;
    const amounts = inventory.amounts();
    return { amounts, hasChanged: inventory.resources().length !== before };
  };

  return {
    async start(signal) {
      await restore();
      restored.resolve();
      await listRunning(signal);
      await listen();
    },
    register: registration.register,
    handler: {
      ...registration.handler,
      async register(plugin, signal) {
        // The plugin watcher starts earlier. A list of devices before the restore would overwrite the checkpoint.
        await abortable(restored.promise, AbortSignal.any([signal, lifetime.signal]));
        await registration.handler.register(plugin, signal);
      },
    },
    requestsDevices: (pod) => requestingContainers(pod).length > 0,
    async admit(pod, signal) {
      const requesting = requestingContainers(pod);
      if (runningAtStart.delete(podUid(pod)) || requesting.length === 0) return undefined;
      try {
        await allocate(pod, requesting, undefined, signal);
        return undefined;
      } catch (error) {
        signal?.throwIfAborted();
        const message = `Allocate failed due to ${errorMessage(error)}, which is unexpected`;
        return { reason: 'UnexpectedAdmissionError', message };
      }
    },
    hintProvider: {
      containerHints: (pod, container, numaNodes) =>
        runningAtStart.has(podUid(pod)) ? undefined : allocator.hints(pod, container, numaNodes),
      podHints: (pod, numaNodes) =>
        runningAtStart.has(podUid(pod)) ? undefined : allocator.hints(pod, undefined, numaNodes),
      async allocate(pod, container, { numaNodes }, signal) {
        const requesting = requestingContainers(pod);
        if (runningAtStart.has(podUid(pod))) {
          if (podContainers(pod, ['init', 'regular']).at(-1)?.container.name === container.name)
            runningAtStart.delete(podUid(pod));
          return undefined;
        }
        if (!requesting.some(({ name }) => name === container.name)) return undefined;
        try {
          await allocate(pod, [container], numaNodes, signal);
          return undefined;
        } catch (error) {
          signal?.throwIfAborted();
          return { message: errorMessage(error) };
        }
      },
      mayTakeLong: (pod) => requestingContainers(pod).length > 0,
    },
    async additions(pod, container, signal) {
      const uid = podUid(pod);
      const requested = requestedDevices(pod, container, isDeviceResource).filter(([, count]) => count !== 0);
      for (const [resource] of requested) await prepareDevices(devicePorts, pod, container.name, resource, signal);
      const isMissing = requested.some(
        ([resource]) => podDevices.allocation(uid, container.name, resource) === undefined,
      );
      if (isMissing && ports.mayUseDevices(uid)) {
        logger.info('allocates devices to a container that was admitted without', {
          pod: formatPod(pod),
          container: container.name,
        });
        await allocate(pod, [container], undefined, signal);
      }
      const allocations = podDevices.get(uid)?.get(container.name);
      if (allocations === undefined) return undefined;
      return containerAdditions(allocations, (setting, kept, dropped) => {
        const subject = { pod: formatPod(pod), container: container.name };
        logger.error('device plugins disagree', { ...subject, setting, kept, dropped });
      });
    },
    async freeDevices() {
      const { hasChanged } = currentAmounts();
      if (free() || hasChanged) await checkpoint.write();
    },
    isDeviceResource,
    devices: {
      amounts() {
        const { amounts, hasChanged } = currentAmounts();
        if (hasChanged) saveInBackground();
        return amounts;
      },
      get wereUnknown() {
        return wereUnknown;
      },
      inUseWith(uid) {
        if (podDevices.get(uid) === undefined) return undefined;
        return Object.fromEntries([...podDevices.resources()].map((name) => [name, podDevices.inUse(name).size]));
      },
      ofContainer: (uid, containerName) => devicesOfContainer(podDevices, uid, containerName),
      allocatable: () => healthyDevices(inventory),
    },
    healthChanges$: healthChanges.values$,
    resourceHealth: (uid, containerName) => healthOfDevices(podDevices, inventory, uid, containerName),
    problem: () => problem,
    inspect: () => ({ ...inventory.amounts(), pods: describeAllocations(podDevices) }),
    async [Symbol.asyncDispose]() {
      await connections[Symbol.asyncDispose]();
      await lifetime[Symbol.asyncDispose]();
      healthChanges.complete();
    },
  };
}
