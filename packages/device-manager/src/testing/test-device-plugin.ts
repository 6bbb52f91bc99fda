import type { DescMethod, Message, MessageInitShape } from '@bufbuild/protobuf';
import { onAbort } from '@rxlet/component-base';
import { connectToPlugin } from '@rxlet/node-plugins';
import { createTestPluginServer, Registration as WatchedRegistration } from '@rxlet/node-plugins/testing';
import {
  type AllocateRequest,
  type ContainerAllocateResponseSchema,
  DevicePlugin,
  type PreferredAllocationRequest,
  type PreStartContainerRequest,
  Registration,
} from '../../gen/deviceplugin/v1beta1/api_pb.js';

/** A device of a test plugin. */
export interface TestDevice {
  readonly id: string;
  /** Default true. */
  readonly isHealthy?: boolean;
  readonly numaNodes?: readonly number[];
}

/** Answer of a plugin for one container, as a message of the API. */
export type TestAllocation = MessageInitShape<typeof ContainerAllocateResponseSchema>;

/** Options of {@link createTestDevicePlugin}. */
export interface TestDevicePluginOptions {
  /** Such as `example.com/gpu`. */
  readonly resource: string;
  readonly devices: readonly TestDevice[];
  /** Returns what a container gets for its devices; `undefined` leaves the container out of the answer. Default: the variable `DEVICES` with their ids. */
  readonly allocate?: (deviceIds: readonly string[]) => TestAllocation | undefined;
  /** Returns the devices to prefer. Default: the plugin prefers none. */
  readonly prefer?: (available: readonly string[], mustInclude: readonly string[], size: number) => readonly string[];
  /** Whether devices must be prepared before each start of a container. Default false. */
  readonly preStart?: boolean;
}

/** Consulted before each call by its method and the ids of its devices: it may throw, or return a promise that the call waits for. */
export type PluginFault = (method: string, deviceIds: readonly string[]) => void | Promise<void>;

/** A device plugin for tests, behind a real socket. */
export interface TestDevicePlugin extends AsyncDisposable {
  /** Calls so far, as `Allocate a,b`. */
  readonly calls: readonly string[];
  fault: PluginFault | undefined;
  /** Replaces the devices, and sends them to the agent. */
  setDevices(devices: readonly TestDevice[]): void;
  /** Serves the plugin, and its registration for the plugin watcher, on a unix socket, until disposed of. */
  listen(socketPath: string): Promise<void>;
  /** Registers the plugin at the agent's socket. `endpoint` is the name of the plugin's own socket. Rejects with the agent's answer. */
  register(agentSocket: string, endpoint: string, request?: { readonly version?: string }): Promise<void>;
}

/** Creates a {@link TestDevicePlugin}. */
export function createTestDevicePlugin(options: TestDevicePluginOptions): TestDevicePlugin {
  const { resource, prefer, preStart = false } = options;
  const allocate = options.allocate ?? ((ids) => ({ envs: { DEVICES: ids.join(',') } }));
  const calls: string[] = [];
  const watchers = new Set<() => void>();
  let { devices } = options;

  const record = async (name: string, ids: readonly string[] = []): Promise<void> => {
    calls.push(ids.length === 0 ? name : `${name} ${ids.join(',')}`);
    await plugin.fault?.(name, ids);
  };
  const handlers: Readonly<Record<string, (request: never) => Promise<object>>> = {
    async GetInfo() {
      return { type: 'DevicePlugin', name: resource, endpoint: '', supportedVersions: ['v1beta1'] };
    },
    async NotifyRegistrationStatus() {
      return {};
    },
    async GetDevicePluginOptions() {
      await record('GetDevicePluginOptions');
      return { preStartRequired: preStart, getPreferredAllocationAvailable: prefer !== undefined };
    },
    async GetPreferredAllocation({ containerRequests }: PreferredAllocationRequest) {
      const [{ availableDeviceIDs = [], mustIncludeDeviceIDs = [], allocationSize = 0 } = {}] = containerRequests;
      await record('GetPreferredAllocation', availableDeviceIDs);
      const deviceIDs = prefer?.(availableDeviceIDs, mustIncludeDeviceIDs, allocationSize) ?? [];
      return { containerResponses: [{ deviceIDs }] };
    },
    async Allocate({ containerRequests }: AllocateRequest) {
      const deviceIds = containerRequests.flatMap(({ devicesIds }) => devicesIds);
      await record('Allocate', deviceIds);
      return { containerResponses: containerRequests.flatMap(({ devicesIds }) => allocate(devicesIds) ?? []) };
    },
    async PreStartContainer({ devicesIds }: PreStartContainerRequest) {
      await record('PreStartContainer', devicesIds);
      return {};
    },
  };
  const server = createTestPluginServer([DevicePlugin, WatchedRegistration], {
    answer: (method: DescMethod, request: Message) => handlers[method.name]!(request as never),
    async stream(_method, _request, send, signal) {
      await record('ListAndWatch');
      const update = (): void => send(listOf(devices));
      watchers.add(update);
      update();
      await new Promise<void>((resolve) => onAbort(signal, () => resolve()));
      watchers.delete(update);
    },
  });
  const plugin: TestDevicePlugin = {
    calls,
    fault: undefined,
    setDevices(next) {
      devices = next;
      for (const update of watchers) update();
    },
    listen: (socketPath) => server.listen(socketPath),
    async register(agentSocket, endpoint, { version = 'v1beta1' } = {}) {
      using connection = connectToPlugin(agentSocket);
      const request = { version, endpoint, resourceName: resource };
      await connection.call(Registration.method.register, request, new AbortController().signal);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return plugin;
}

function listOf(devices: readonly TestDevice[]) {
  return {
    devices: devices.map(({ id, isHealthy = true, numaNodes = [] }) => ({
      ID: id,
      health: isHealthy ? 'Healthy' : 'Unhealthy',
      ...(numaNodes.length > 0 && { topology: { nodes: numaNodes.map((node) => ({ ID: BigInt(node) })) } }),
    })),
  };
}
