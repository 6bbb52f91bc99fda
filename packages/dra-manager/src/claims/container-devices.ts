import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { ClaimDevice, ClaimRecord, ClaimRecords } from './claim-record.ts';
import { type PodClaimOptions, requestsOfContainer } from './pod-claims.ts';

/** Reports whether a device belongs to a request of its claim. An empty request means the whole claim; a subrequest counts as its request. */
export function belongsToRequest({ requestNames }: Pick<ClaimDevice, 'requestNames'>, request: string): boolean {
  return request === '' || requestNames.length === 0 || requestNames.includes(request.split('/', 1)[0]!);
}

/**
 * Returns the CDI names of the devices that a container uses, without duplicates.
 *
 * @throws Error with the kubelet's message for a claim without a record
 */
export function cdiDevicesOf(
  records: Pick<ClaimRecords, 'find'>,
  pod: Pod,
  container: Container | EphemeralContainer,
  options: PodClaimOptions,
): readonly string[] {
  const namespace = pod.metadata?.namespace ?? '';
  const names = requestsOfContainer(pod, container, options).flatMap(({ claimName, requests }) => {
    const record = records.find(namespace, claimName);
    if (record === undefined)
      throw new Error(
        `internal error: unable to get claim info for ResourceClaim ${claimName} in namespace ${namespace}`,
      );
    return requests.flatMap((request) =>
      devicesOf(record).flatMap(({ device }) => (belongsToRequest(device, request) ? device.cdiDeviceIds : [])),
    );
  });
  return [...new Set(names)];
}

/** Returns the devices of a claim with their drivers. */
export function devicesOf({
  drivers,
}: Pick<ClaimRecord, 'drivers'>): readonly { readonly driver: string; readonly device: ClaimDevice }[] {
  return [...drivers].flatMap(([driver, devices]) => devices.map((device) => ({ driver, device })));
}
