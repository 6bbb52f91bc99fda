/** Path of the hosts file in containers. */
export const WINDOWS_HOSTS_FILE: string = String.raw`C:\Windows\System32\drivers\etc\hosts`;

/** Drive of paths that name none. */
const DRIVE = 'c:';
/** Begin of UNC paths and of named pipes. */
const UNC = String.raw`\\`;

/** Returns a path with a drive: one that has none is on `c:`, below its root unless it begins with a slash of either kind. */
export function withDrive(path: string): string {
  if (path.includes(':')) return path;
  return /^[/\\]/.test(path) ? `${DRIVE}${path}` : `${DRIVE}\\${path}`;
}

/** Returns a path of the agent with the separators of Windows. */
export function withBackslashes(path: string): string {
  return path.replaceAll('/', '\\');
}

/** Returns the path on the node of a mount. A local path gets a drive; UNC paths and named pipes stay as they are. */
export function windowsHostPath(path: string): string {
  const isLocal = /^[/\\]/.test(path) && !path.startsWith(UNC) && !path.includes(':');
  return isLocal ? withDrive(path) : path;
}

/** Returns the path in the container of a mount. Absolute paths, UNC paths and named pipes stay as they are. */
export function windowsContainerPath(path: string): string {
  const isAbsolute = /^[a-z]:[/\\]/i.test(path);
  return isAbsolute || path.startsWith(UNC) ? path : withDrive(path);
}
