/** Health of a device. */
export type Health = 'Healthy' | 'Unhealthy' | 'Unknown';

/** Health of a device, as a plugin has reported it. */
export interface ReportedHealth {
  readonly poolName: string;
  readonly deviceName: string;
  readonly health: Health;
  /** Time after which the health is unknown unless it is reported again; 0 or less for 30 seconds. */
  readonly timeoutMs: number;
  /** Explanation for people; may be empty. */
  readonly message: string;
}

/** Health of a device, with the time of its last report. */
export interface DeviceHealth extends ReportedHealth {
  /** Milliseconds since the epoch, on the clock of the node. */
  readonly updatedMs: number;
}

/** Health of the devices of a driver, by {@link deviceKey}. */
export type DriverHealth = ReadonlyMap<string, DeviceHealth>;

const DEFAULT_TIMEOUT_MS = 30_000;
/** A health check that takes longer than a day says nothing. It also bounds the numbers in the file. */
const MAX_TIMEOUT_MS = 86_400_000;
/** Longest message of the API, in bytes. */
const MAX_MESSAGE_BYTES = 1024;
/** Bound for the devices of a driver; a node has tens. */
const MAX_DEVICES = 4096;

/** Returns the key of a device in the health of its driver. */
export function deviceKey(poolName: string, deviceName: string): string {
  return `${poolName}/${deviceName}`;
}

/** Result of {@link updateHealth}. */
export interface HealthUpdate {
  readonly devices: DriverHealth;
  /** Keys of the devices whose health, message or timeout has changed. */
  readonly changed: readonly string[];
}

/** Applies a report. Devices that are not in it stay until their health times out; the health of an absent device is unknown. */
export function updateHealth(before: DriverHealth, reported: readonly ReportedHealth[], nowMs: number): HealthUpdate {
  const devices = new Map<string, DeviceHealth>();
  const changed: string[] = [];
  for (const report of reported.slice(0, MAX_DEVICES)) {
    const key = deviceKey(report.poolName, report.deviceName);
    const next = { ...normalized(report), updatedMs: nowMs };
    devices.set(key, next);
    const earlier = before.get(key);
    if (
      earlier?.health !== next.health ||
      earlier.message !== next.message ||
      normalized(earlier).timeoutMs !== next.timeoutMs
    )
      changed.push(key);
  }
  for (const [key, device] of before) {
    if (devices.has(key)) continue;
    if (isStale(device, nowMs) || devices.size >= MAX_DEVICES) changed.push(key);
    else devices.set(key, device);
  }
  return { devices, changed };
}

/** Returns the health of a device, with a message if there is one. */
export function currentHealth(
  device: DeviceHealth | undefined,
  nowMs: number,
): { readonly health: Health; readonly message: string } {
  if (device === undefined || isStale(device, nowMs)) return { health: 'Unknown', message: '' };
  return { health: device.health, message: device.message };
}

function isStale(device: DeviceHealth, nowMs: number): boolean {
  return nowMs - device.updatedMs > normalized(device).timeoutMs;
}

function normalized<T extends ReportedHealth>(report: T): T {
  const timeoutMs = report.timeoutMs > 0 ? Math.min(report.timeoutMs, MAX_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
  return { ...report, timeoutMs, message: truncated(report.message) };
}

/** Cuts a message at the limit of the API, but never inside a character. */
function truncated(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MAX_MESSAGE_BYTES) return message;
  const cut = new TextDecoder().decode(bytes.subarray(0, MAX_MESSAGE_BYTES - 3), { stream: true });
  return `${cut}...`;
}
