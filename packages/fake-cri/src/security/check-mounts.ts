import { type Mount, MountPropagation, ServiceError, StatusCode } from '@rxlet/cri-api';

/** Checks the mounts of a container by the rules of containerd. Throws InvalidArgument, for which containerd's code is Unknown. */
export function checkMounts(mounts: readonly Mount[]): void {
  for (const { containerPath, image, readonly, recursiveReadOnly, propagation } of mounts) {
    const reject = (problem: string): never => {
      throw new ServiceError(StatusCode.InvalidArgument, `mount "${containerPath}": ${problem}`);
    };
    if (recursiveReadOnly && !readonly) reject('recursive_read_only requires readonly');
    if (recursiveReadOnly && propagation !== MountPropagation.PROPAGATION_PRIVATE)
      reject(`recursive_read_only requires private propagation, not ${MountPropagation[propagation]}`);
    if (image !== undefined && image.image !== '' && !readonly) reject('an image volume must be readonly');
  }
}
