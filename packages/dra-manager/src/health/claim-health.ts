import type { Pod, PodResourceClaim, ResourceHealth, ResourceStatus } from '@rxlet/kube-api';
import type { ClaimDevice, ClaimRecords } from '../claims/claim-record.ts';
import { belongsToRequest, devicesOf } from '../claims/container-devices.ts';
import { usedClaim } from '../claims/pod-claims.ts';
import type { Health } from './device-health.ts';

/** Returns the current health of a device. */
export type HealthOf = (driver: string, device: ClaimDevice) => { readonly health: Health; readonly message: string };

/** Returns the health of the devices that a main container uses by claims, for its status (KEP-4680). Entries without devices are left out. */
export function claimHealth(
  records: Pick<ClaimRecords, 'find'>,
  pod: Pod,
  containerName: string,
  healthOf: HealthOf,
): readonly ResourceStatus[] {
  const container = pod.spec?.containers?.find(({ name }) => name === containerName);
  const entries = new Map((pod.spec?.resourceClaims ?? []).map((entry) => [entry.name, entry]));
  return (container?.resources?.claims ?? []).flatMap(({ name, request = '' }) => {
    const claimName = generatedName(pod, entries.get(name));
    const record = claimName === undefined ? undefined : records.find(pod.metadata?.namespace ?? '', claimName);
    if (record === undefined) return [];
    const resources = new Map<string, ResourceHealth>();
    for (const { driver, device } of devicesOf(record)) {
      const resourceID = device.cdiDeviceIds[0] ?? `${driver}/${device.poolName}/${device.deviceName}`;
      if (!belongsToRequest(device, request) || resources.has(resourceID)) continue;
      const { health, message } = healthOf(driver, device);
      resources.set(resourceID, { resourceID, health, ...(message !== '' && { message }) });
    }
    if (resources.size === 0) return [];
    return { name: request === '' ? `claim:${name}` : `claim:${name}/${request}`, resources: [...resources.values()] };
  });
}

function generatedName(pod: Pod, entry: PodResourceClaim | undefined): string | undefined {
  try {
    return entry && usedClaim(pod, entry)?.name;
  } catch {
    // The claim does not exist yet.
    return undefined;
  }
}
