import { chmod, lstat, mkdtemp, rename, rm, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { errorMessage } from './error-message.ts';

/** Reason why a socket could not be opened. */
export type SocketErrorReason =
  /** The path exceeds the limit of the kernel (107 bytes with the name of a temporary directory beside it). */
  | 'PathTooLong'
  /** The path exists and is not a socket. */
  | 'NotASocket'
  /** Another process serves the socket. */
  | 'InUse'
  /** The directory is missing or not writable. */
  | 'Unusable';

/** A unix socket could not be opened. The message names the path and a remedy. */
export class UnixSocketError extends Error {
  override readonly name = 'UnixSocketError';
  readonly reason: SocketErrorReason;
  readonly path: string;

  constructor(reason: SocketErrorReason, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.path = path;
  }
}

/** Maximum length of a path in `sockaddr_un` on Linux, without the terminating zero. */
const MAX_PATH_BYTES = 107;

/**
 * Makes `server` listen on a unix socket. A stale socket is replaced; a live one, or any other file at the path, is an error. The socket appears with its mode and
 * ready to accept, because it is created in a private directory beside the path and then renamed.
 *
 * @param mode default: 0600
 * @returns a handle whose disposal removes the socket; it does not close the server
 * @throws UnixSocketError
 */
export async function listenOnUnixSocket(server: Server, path: string, mode = 0o600): Promise<AsyncDisposable> {
  const folder = dirname(path);
  const longest = join(folder, '.s-XXXXXX', 's');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || Buffer.byteLength(longest) > MAX_PATH_BYTES) {
    const message = `cannot open the socket ${path}: the path is too long, choose a shorter one`;
    throw new UnixSocketError('PathTooLong', path, message);
  }
  await requireFreeOrStale(path);
  try {
    const privateFolder = await mkdtemp(join(folder, '.s-'));
    try {
      const privatePath = join(privateFolder, 's');
      await listen(server, privatePath);
      await chmod(privatePath, mode);
      await rename(privatePath, path);
    } finally {
      await rm(privateFolder, { recursive: true, force: true });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const cause = code === 'ENOENT' ? `the folder ${folder} does not exist` : errorMessage(error);
    throw new UnixSocketError('Unusable', path, `cannot open the socket ${path}: ${cause}`, { cause: error });
  }
  return {
    [Symbol.asyncDispose]: () =>
      unlink(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      }),
  };
}

async function requireFreeOrStale(path: string): Promise<void> {
  const stat = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new UnixSocketError('Unusable', path, `cannot open the socket ${path}: ${error.message}`, { cause: error });
  });
  if (stat === undefined) return;
  if (!stat.isSocket()) {
    throw new UnixSocketError(
      'NotASocket',
      path,
      `cannot open the socket ${path}: the path exists and is not a socket, remove it or choose another path`,
    );
  }
  if (await isServed(path)) {
    const message = `cannot open the socket ${path}: it is served by another process, stop that process or choose another path`;
    throw new UnixSocketError('InUse', path, message);
  }
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Only a refused connection proves that there is no server. Treat other errors as a live one.
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
