import { goJson } from '@rxlet/pod-model/hash';
import type { DeviceHealth, DriverHealth, Health } from './device-health.ts';

/** Name of the file in the root directory. */
export const HEALTH_FILE = 'dra_health_state';

const NANOS_PER_MS = 1_000_000;

/** Formats the health of devices by driver like kubelet 1.36. */
export function formatHealth(drivers: ReadonlyMap<string, DriverHealth>): string {
  return goJson(
    Object.fromEntries(
      [...drivers].map(([driver, devices]) => [
        driver,
        { Devices: Object.fromEntries([...devices].map(([key, device]) => [key, formatDevice(device)])) },
      ]),
    ),
  );
}

/** Parses a file of {@link formatHealth} or of a kubelet. Devices that cannot be read are left out: their health is unknown. @throws SyntaxError */
export function parseHealth(text: string): Map<string, DriverHealth> {
  const drivers = new Map<string, DriverHealth>();
  for (const [driver, state] of Object.entries(objectOf(JSON.parse(text)))) {
    const devices = Object.entries(objectOf(objectOf(state)['Devices'])).flatMap(([key, value]) => {
      const device = readDevice(objectOf(value));
      return device === undefined ? [] : [[key, device] as const];
    });
    drivers.set(driver, new Map(devices));
  }
  return drivers;
}

function formatDevice({ poolName, deviceName, health, updatedMs, timeoutMs, message }: DeviceHealth) {
  return {
    PoolName: poolName,
    DeviceName: deviceName,
    Health: health,
    LastUpdated: new Date(updatedMs).toISOString(),
    HealthCheckTimeout: Math.round(timeoutMs * NANOS_PER_MS),
    Message: message,
  };
}

function readDevice(device: Readonly<Record<string, unknown>>): DeviceHealth | undefined {
  const { PoolName: poolName, DeviceName: deviceName, Health: health, LastUpdated: updated } = device;
  const { HealthCheckTimeout: timeout, Message: message } = device;
  const updatedMs = typeof updated === 'string' ? Date.parse(updated) : Number.NaN;
  if (typeof poolName !== 'string' || typeof deviceName !== 'string' || Number.isNaN(updatedMs)) return undefined;
  return {
    poolName,
    deviceName,
    health: isHealth(health) ? health : 'Unknown',
    updatedMs,
    timeoutMs: typeof timeout === 'number' ? timeout / NANOS_PER_MS : 0,
    message: typeof message === 'string' ? message : '',
  };
}

function isHealth(value: unknown): value is Health {
  return value === 'Healthy' || value === 'Unhealthy' || value === 'Unknown';
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
