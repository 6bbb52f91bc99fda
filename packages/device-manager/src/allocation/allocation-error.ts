/** Devices cannot be allocated. The message is the kubelet's. */
export class DeviceAllocationError extends Error {
  override readonly name = 'DeviceAllocationError';
}
