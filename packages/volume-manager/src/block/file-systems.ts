/** File systems of block devices (kubelet: SafeFormatAndMount and ResizeFs). */
export interface FileSystems {
  /**
   * Makes the file system of a device ready to be mounted: a device without content gets one, and one that will be written to is checked and repaired. It is not
   * interrupted, because what is half made or repaired may be lost. Rejects when the device must not be mounted.
   */
  prepare(device: string, fileSystem: FileSystem): Promise<void>;
  /** Grows a mounted file system to the size of its device. Rejects for a type that cannot. */
  grow(device: string, mountPath: string): Promise<void>;
}

/** A file system on a device. */
export interface FileSystem {
  /** Type, such as `ext4` or `xfs`. */
  readonly type: string;
  readonly readOnly: boolean;
}
