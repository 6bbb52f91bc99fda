import type { DescMethod, Message } from '@bufbuild/protobuf';
import { abortable, onAbort } from '@rxlet/component-base';
import { PluginCallError, type PluginCallOptions } from '@rxlet/node-plugins';
import { createTestPluginServer, Registration } from '@rxlet/node-plugins/testing';
import { DRAResourceHealth, HealthStatus } from '../../gen/dra-health/v1alpha1/api_pb.js';
import { DRAPlugin as DraPluginV1, type NodePrepareResourcesRequest } from '../../gen/dra/v1/api_pb.js';
import { DRAPlugin as DraPluginV1beta1 } from '../../gen/dra/v1beta1/api_pb.js';
import type { ClaimDevice } from '../claims/claim-record.ts';
import type { PluginMethod } from '../claims/read-answer.ts';
import type { Health, ReportedHealth } from '../health/device-health.ts';
import type { ConnectDraPlugin, PluginClaim } from '../plugins/dra-plugin.ts';

/** Options of {@link createTestDraPlugin}. */
export interface TestDraPluginOptions {
  readonly driver: string;
  /** Services of the registration. Default: `v1.DRAPlugin`. */
  readonly services?: readonly string[];
  /** Prepares a claim: returns its devices. Default: one device with the name of the claim. */
  prepare?(claim: PluginClaim): readonly ClaimDevice[] | Promise<readonly ClaimDevice[]>;
  /** Releases what `prepare` has made. */
  unprepare?(claim: PluginClaim): void | Promise<void>;
  /** Whether the plugin has the service of health. Default true. */
  readonly reportsHealth?: boolean;
}

/** A call that the plugin has received. */
export interface DraCall {
  readonly method: PluginMethod;
  /** Names of the claims. */
  readonly claims: readonly string[];
}

/** The plugin of a DRA driver for tests. */
export interface TestDraPlugin extends AsyncDisposable {
  /** Calls so far, in order. */
  readonly calls: readonly DraCall[];
  /** Prepared claims by UID. */
  readonly prepared: ReadonlyMap<string, PluginClaim>;
  /** Consulted before each call: it may throw, return the error of its claims, or return a promise that the call waits for. */
  fault: ((method: PluginMethod, claims: readonly PluginClaim[]) => void | string | Promise<void | string>) | undefined;
  /** Reports the health of devices, now and to later streams. */
  setHealth(
    devices: readonly (Pick<ReportedHealth, 'poolName' | 'deviceName' | 'health'> & Partial<ReportedHealth>)[],
  ): void;
  /** Ends the streams of health. */
  endHealth(): void;
  /** Serves the plugin and its registration on a unix socket, until disposed of. */
  listen(socketPath: string): Promise<void>;
  /** Connects without a socket. */
  readonly connect: ConnectDraPlugin;
  /** Opens or cuts the connections that `connect` has made. */
  setUp(isUp: boolean): void;
  /** Answers of the registration. */
  readonly transport: ReturnType<typeof createTestPluginServer>['transport'];
}

interface TestResult {
  readonly error: string;
  readonly devices: readonly ClaimDevice[];
}

const HEALTH: Readonly<Record<Health, HealthStatus>> = {
  Healthy: HealthStatus.HEALTHY,
  Unhealthy: HealthStatus.UNHEALTHY,
  Unknown: HealthStatus.UNKNOWN,
};

/** Returns the device that a claim gets by default. */
export function testDevice(driver: string, claimName: string, more: Partial<ClaimDevice> = {}): ClaimDevice {
  return {
    poolName: 'pool',
    deviceName: claimName,
    requestNames: [],
    cdiDeviceIds: [`${driver}/device=${claimName}`],
    ...more,
  };
}

/** Creates a {@link TestDraPlugin}. */
export function createTestDraPlugin(options: TestDraPluginOptions): TestDraPlugin {
  const { driver, services = ['v1.DRAPlugin'], reportsHealth = true } = options;
  const calls: DraCall[] = [];
  const prepared = new Map<string, PluginClaim>();
  const streams = new Set<{ send(): void; end(error?: Error): void }>();
  const watchers = new Set<(isOpen: boolean) => void>();
  let health: readonly ReportedHealth[] = [];
  let isUp = true;

  const handle = async (method: PluginMethod, claims: readonly PluginClaim[]): Promise<Record<string, TestResult>> => {
    calls.push({ method, claims: claims.map(({ name }) => name) });
    const error = (await plugin.fault?.(method, claims)) ?? '';
    const results = claims.map(async (claim) => {
      if (error !== '') return [claim.uid, { error, devices: [] }] as const;
      if (method === 'NodeUnprepareResources') {
        await options.unprepare?.(claim);
        prepared.delete(claim.uid);
        return [claim.uid, { error, devices: [] }] as const;
      }
      const devices = (await options.prepare?.(claim)) ?? [testDevice(driver, claim.name)];
      prepared.set(claim.uid, claim);
      return [claim.uid, { error, devices }] as const;
    });
    return Object.fromEntries(await Promise.all(results)) as Record<string, TestResult>;
  };

  const answer = async ({ name }: DescMethod, request: Message): Promise<object> => {
    if (name === 'GetInfo') return { type: 'DRAPlugin', name: driver, endpoint: '', supportedVersions: [...services] };
    if (name === 'NotifyRegistrationStatus') return {};
    return { claims: await handle(name as PluginMethod, (request as NodePrepareResourcesRequest).claims) };
  };
  /** Sends reports until the stream is ended by either side. */
  const stream = (send: (devices: readonly ReportedHealth[]) => void, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const one = {
        send: () => send(health),
        end(error?: Error) {
          streams.delete(one);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      streams.add(one);
      if (health.length > 0) one.send();
      onAbort(signal, () => one.end());
    });

  const healthServices = reportsHealth ? [DRAResourceHealth] : [];
  const server = createTestPluginServer([DraPluginV1, DraPluginV1beta1, Registration, ...healthServices], {
    answer,
    stream: (_method, _request, send, signal) =>
      stream((devices) => send({ devices: devices.map(wireHealth) }), signal),
  });
  const unavailable = (): PluginCallError => new PluginCallError('Unavailable', 'the plugin is down');
  const direct = async (method: PluginMethod, claims: readonly PluginClaim[], { signal }: PluginCallOptions) => {
    signal?.throwIfAborted();
    if (!isUp) throw unavailable();
    return new Map(Object.entries(await abortable(handle(method, claims), signal)));
  };

  const plugin: TestDraPlugin = {
    calls,
    prepared,
    fault: undefined,
    setHealth(devices) {
      health = devices.map((device) => ({ timeoutMs: 0, message: '', ...device }));
      for (const one of streams) one.send();
    },
    endHealth() {
      for (const one of streams) one.end();
    },
    listen: (socketPath) => server.listen(socketPath),
    connect() {
      let watcher: ((isOpen: boolean) => void) | undefined;
      return {
        prepare: (claims, call) => direct('NodePrepareResources', claims, call),
        unprepare: (claims, call) => direct('NodeUnprepareResources', claims, call),
        async watchHealth(onHealth, signal) {
          if (!isUp) throw unavailable();
          if (!reportsHealth) throw new PluginCallError('Unimplemented', 'no such service');
          await stream(onHealth, signal);
        },
        keepOpen(onChange) {
          watchers.add((watcher = onChange));
          if (isUp) onChange(true);
        },
        [Symbol.dispose]: () => void (watcher && watchers.delete(watcher)),
      };
    },
    setUp(next) {
      isUp = next;
      for (const watcher of watchers) watcher(isUp);
      if (!isUp) for (const one of streams) one.end(unavailable());
    },
    transport: server.transport,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return plugin;
}

function wireHealth({ poolName, deviceName, health, timeoutMs, message }: ReportedHealth) {
  return {
    device: { poolName, deviceName },
    health: HEALTH[health],
    healthCheckTimeoutSeconds: BigInt(Math.round(timeoutMs / 1_000)),
    message,
  };
}
