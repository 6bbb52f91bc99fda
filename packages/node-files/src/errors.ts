/** Reasons for not touching a path. */
export type UnsafePathReason =
  'OutsideRoots' | 'SymbolicLink' | 'NotADirectory' | 'NotAFile' | 'NotAName' | 'MountPoint';

const pathFaults: Readonly<Record<UnsafePathReason, string>> = {
  OutsideRoots: "is outside of the agent's own directories",
  SymbolicLink: 'is a symbolic link',
  NotADirectory: 'is not a directory',
  NotAFile: 'is not a regular file',
  NotAName: 'is not a name within a directory',
  MountPoint: 'is a mount point',
};

/** A path that the agent, which runs as root, must not use. Nothing was changed. */
export class UnsafePathError extends Error {
  override readonly name = 'UnsafePathError';
  readonly reason: UnsafePathReason;
  readonly path: string;

  constructor(reason: UnsafePathReason, path: string, options?: ErrorOptions) {
    super(`${path} ${pathFaults[reason]}`, options);
    this.reason = reason;
    this.path = path;
  }
}

/** A file whose content must not be used. Nothing of it was read. */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError';
  readonly path: string;

  constructor(path: string, fault: string) {
    super(`${path} ${fault}`);
    this.path = path;
  }
}

/** Returns the code of a system error, such as `ENOENT`. */
export function systemErrorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
