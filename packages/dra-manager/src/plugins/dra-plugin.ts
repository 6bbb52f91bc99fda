import { type Clock, createRateLimiter, sleep } from '@rxlet/component-base';
import { PluginCallError, type PluginCallOptions, type PluginConnection, withCallDeadline } from '@rxlet/node-plugins';
import { DRAResourceHealth, HealthStatus, type DeviceHealth } from '../../gen/dra-health/v1alpha1/api_pb.js';
import { DRAPlugin as DraPluginV1 } from '../../gen/dra/v1/api_pb.js';
import { DRAPlugin as DraPluginV1beta1 } from '../../gen/dra/v1beta1/api_pb.js';
import type { ClaimDevice, ClaimRecord } from '../claims/claim-record.ts';
import type { PluginMethod } from '../claims/read-answer.ts';
import type { ReportedHealth } from '../health/device-health.ts';
import type { PluginService } from './plugin-service.ts';

/** A claim as plugins know it. */
export type PluginClaim = Pick<ClaimRecord, 'namespace' | 'uid' | 'name'>;

/** Result of a preparation. */
export interface PreparedClaim {
  /** Empty on success. */
  readonly error: string;
  readonly devices: readonly ClaimDevice[];
}

/** Connection to one instance of a DRA driver's plugin. Calls reject with `PluginCallError`, or with the reason of their signal. */
export interface DraPlugin extends Disposable {
  /** Prepares claims. Returns the results by UID of the claim. */
  prepare(claims: readonly PluginClaim[], call: PluginCallOptions): Promise<ReadonlyMap<string, PreparedClaim>>;
  /** Unprepares claims. Returns the results by UID of the claim. */
  unprepare(
    claims: readonly PluginClaim[],
    call: PluginCallOptions,
  ): Promise<ReadonlyMap<string, Pick<PreparedClaim, 'error'>>>;
  /** Calls `onHealth` with each report of the health of devices. Resolves when the plugin ends the stream. */
  watchHealth(onHealth: (devices: readonly ReportedHealth[]) => void, signal: AbortSignal): Promise<void>;
  /** Keeps the connection open until disposal, and reports whether it is. */
  keepOpen(onChange: (isOpen: boolean) => void): void;
}

/** Connects to the plugin behind a socket. */
export type ConnectDraPlugin = (endpoint: string, service: PluginService) => DraPlugin;

/** Called after each call that prepares or unprepares claims, with the name of its gRPC status. */
export type OnCall = (methodName: string, statusCode: string, durationMs: number) => void;

/** Bounds for the reports of a plugin, each of which has all of its devices. A plugin that sends more waits. */
const REPORTS_PER_SECOND = 20;
const REPORTS_BURST = 50;

/** Creates the client of a DRA driver's plugin. */
export function createDraPlugin(clock: Clock, connection: PluginConnection, service: PluginService): DraPlugin {
  // Both versions have the same messages, apart from the share of a device.
  const { method } = service === 'v1.DRAPlugin' ? DraPluginV1 : (DraPluginV1beta1 as unknown as typeof DraPluginV1);
  const reports = createRateLimiter(clock, REPORTS_PER_SECOND, REPORTS_BURST);
  return {
    async prepare(claims, call) {
      const answer = await withCallDeadline(clock, call, (signal) =>
        connection.call(method.nodePrepareResources, { claims: claims.map(claimOf) }, signal),
      );
      return new Map(
        Object.entries(answer.claims).map(([uid, { error, devices }]) => [
          uid,
          {
            error,
            devices: devices.map(({ poolName, deviceName, requestNames, cdiDeviceIds, shareId }) => ({
              poolName,
              deviceName,
              requestNames,
              cdiDeviceIds,
              ...(shareId !== undefined && { shareId }),
            })),
          },
        ]),
      );
    },
    async unprepare(claims, call) {
      const answer = await withCallDeadline(clock, call, (signal) =>
        connection.call(method.nodeUnprepareResources, { claims: claims.map(claimOf) }, signal),
      );
      return new Map(Object.entries(answer.claims).map(([uid, { error }]) => [uid, { error }]));
    },
    async watchHealth(onHealth, signal) {
      await connection.receive(
        DRAResourceHealth.method.nodeWatchResources,
        {},
        async ({ devices }) => {
          onHealth(devices.map(readHealth));
          if (!reports.tryAcquire()) await sleep(clock, 1000 / REPORTS_PER_SECOND, signal);
        },
        signal,
      );
    },
    keepOpen: (onChange) => connection.keepOpen(onChange),
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}

/** Returns a plugin whose calls are measured. */
export function measuredPlugin(plugin: DraPlugin, clock: Clock, service: PluginService, onCall: OnCall): DraPlugin {
  const measured = async <T>(method: PluginMethod, call: () => Promise<T>): Promise<T> => {
    const startMs = clock.monotonicNow();
    const ended = (code: string): void =>
      onCall(`/k8s.io.kubelet.pkg.apis.dra.${service}/${method}`, code, clock.monotonicNow() - startMs);
    try {
      const answer = await call();
      ended('OK');
      return answer;
    } catch (error) {
      ended(error instanceof PluginCallError ? error.code : 'Canceled');
      throw error;
    }
  };
  return {
    prepare: (claims, call) => measured('NodePrepareResources', () => plugin.prepare(claims, call)),
    unprepare: (claims, call) => measured('NodeUnprepareResources', () => plugin.unprepare(claims, call)),
    watchHealth: plugin.watchHealth.bind(plugin),
    keepOpen: plugin.keepOpen.bind(plugin),
    [Symbol.dispose]: () => plugin[Symbol.dispose](),
  };
}

function claimOf({ namespace, uid, name }: PluginClaim): PluginClaim {
  return { namespace, uid, name };
}

function readHealth({ device, health, healthCheckTimeoutSeconds, message }: DeviceHealth): ReportedHealth {
  return {
    poolName: device?.poolName ?? '',
    deviceName: device?.deviceName ?? '',
    health: health === HealthStatus.HEALTHY ? 'Healthy' : health === HealthStatus.UNHEALTHY ? 'Unhealthy' : 'Unknown',
    timeoutMs: Number(healthCheckTimeoutSeconds) * 1_000,
    message,
  };
}
