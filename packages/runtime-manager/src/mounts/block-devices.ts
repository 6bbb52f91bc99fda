import { create } from '@bufbuild/protobuf';
import type { MountedVolume } from '@rxlet/agent-api/volumes';
import { goQuote } from '@rxlet/component-base/go';
import { type Device, DeviceSchema } from '@rxlet/cri-api';
import type { Container, EphemeralContainer } from '@rxlet/kube-api';
import { containerConfigError } from '../config/config-error.ts';

/**
 * Returns the devices of a container's block volumes, in their order.
 * @throws ConfigError for a missing volume and for a path in the container that is not absolute
 */
export function blockDevices(
  { name: containerName, volumeDevices = [] }: Container | EphemeralContainer,
  volumes: ReadonlyMap<string, MountedVolume>,
): Device[] {
  return volumeDevices.map(({ name, devicePath }) => {
    if (!devicePath.startsWith('/')) {
      throw containerConfigError(`error DevicePath \`${devicePath}\` must be an absolute path`);
    }
    const volume = volumes.get(name);
    if (volume?.devicePath === undefined) {
      throw containerConfigError(
        `cannot find volume ${goQuote(name)} to pass into container ${goQuote(containerName)}`,
      );
    }
    const permissions = volume.readOnly ? 'r' : 'mrw';
    return create(DeviceSchema, { hostPath: volume.devicePath, containerPath: devicePath, permissions });
  });
}
