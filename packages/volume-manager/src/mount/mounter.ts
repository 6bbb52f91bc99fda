import type { EntryHandle } from '@rxlet/node-files';
import type { MountTable } from './mount-table.ts';

/** Mounts of the node (kubelet: mount.Interface). */
export interface Mounter {
  /** Mounts a file system, or binds an entry. Rejects with {@link MountError}. */
  mount(request: MountRequest, signal?: AbortSignal): Promise<void>;
  /** Removes the topmost mount of a path. Rejects with {@link MountError}. */
  unmount(target: string, options?: UnmountOptions, signal?: AbortSignal): Promise<void>;
  /** Returns why no mount can succeed, such as missing rights of the agent; `undefined` when mounts may succeed. */
  problem(): string | undefined;
  /** Reads the current mounts, without any access to the mounted file systems. */
  mounts(): Promise<MountTable>;
}

/** Request of {@link Mounter.mount}. */
export interface MountRequest {
  /**
   * Origin of the mount: a device, `tmpfs`, `server:/path`, the path of a directory to bind, or an open entry to bind. Only the latter is safe where containers can
   * change the path.
   */
  readonly source: string | EntryHandle;
  /** Absolute path of an existing directory or file below directories that only the agent can change. */
  readonly target: string;
  /** Type of the file system; none for a bind mount. */
  readonly fsType?: string | undefined;
  /** Mount options, such as `bind`, `ro` or `size=1048576`. */
  readonly options: readonly string[];
}

/** Options of {@link Mounter.unmount}. */
export interface UnmountOptions {
  /** Gives up a file system of an unreachable server. */
  readonly force?: boolean | undefined;
}

/** A failed mount or unmount, with the kubelet's message. */
export class MountError extends Error {
  override readonly name = 'MountError';
}
