/**
 * Loop devices of the node. One on the device of a block volume keeps it open, so that the kernel cannot give its name to another device while a container uses
 * it (kubelet: AttachFileDevice and DetachFileDevice).
 */
export interface LoopDevices {
  /** Creates a loop device on a device, by the path that the mount table has, unless there is one. Returns its path. */
  attach(path: string, signal?: AbortSignal): Promise<string>;
  /** Removes the loop device on a path; succeeds when there is none. */
  detach(path: string, signal?: AbortSignal): Promise<void>;
}
