import type { AssignedClaim } from '@rxlet/agent-api/node';
import type { Pod } from '@rxlet/kube-api';
import type { ClaimRecords } from './claim-record.ts';
import { devicesOf } from './container-devices.ts';
import { type PodClaimOptions, requestsOfContainer } from './pod-claims.ts';

/** Returns the claims of a container with all of their devices, whichever requests it uses; none when one of them is not known (kubelet: GetDynamicResources). */
export function assignedClaims(
  records: Pick<ClaimRecords, 'find'>,
  pod: Pod,
  containerName: string,
  options: PodClaimOptions,
): readonly AssignedClaim[] {
  const namespace = pod.metadata?.namespace ?? '';
  const container = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].find(
    ({ name }) => name === containerName,
  );
  if (container === undefined) return [];
  let names: readonly string[];
  try {
    names = requestsOfContainer(pod, container, options).map(({ claimName }) => claimName);
  } catch {
    // A claim of the pod does not exist yet.
    return [];
  }
  const claims = names.map((name) => records.find(namespace, name));
  if (claims.some((claim) => claim === undefined)) return [];
  return claims.flatMap((claim) => {
    if (claim === undefined) return [];
    const devices = devicesOf(claim).map(({ driver: driverName, device }) => ({
      driverName,
      poolName: device.poolName,
      deviceName: device.deviceName,
      shareId: device.shareId,
      cdiDeviceIds: device.cdiDeviceIds,
    }));
    return { name: claim.name, namespace, devices };
  });
}
