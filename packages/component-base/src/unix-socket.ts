import { chmod, lstat, mkdtemp, rename, rm, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';

/** Why a socket could not be opened. */
export type SocketErrorReason =
  /** The path is longer than the kernel takes (107 bytes with the name of a temporary folder beside it). */
  | 'PathTooLong'
  /** Something else than a socket lies at the path. */
  | 'NotASocket'
  /** Another process serves the socket. */
  | 'InUse'
  /** The folder is missing, or is not ours to write to. */
  | 'Unusable';

/** A unix socket could not be opened; the message names the path and the way out. */
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

/** The room for a path in `sockaddr_un` on Linux, without the closing zero. */
const MAX_PATH_BYTES = 107;

/**
 * Lets `server` listen on a unix socket. A socket that nobody serves any more is replaced, a live one refused, and anything else at the path is left
 * alone. The socket appears at its path already with `mode` (default 0600) and accepting: it is made in a private folder beside it and moved.
 *
 * @returns what takes the socket away again; it does not close the server.
 * @throws UnixSocketError
 */
export async function listenOnUnixSocket(server: Server, path: string, mode = 0o600): Promise<AsyncDisposable> {
  const folder = dirname(path);
  const longest = join(folder, '.s-XXXXXX', 's');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || Buffer.byteLength(longest) > MAX_PATH_BYTES) {
    const message = `the socket path ${path} is too long: choose a folder nearer to the root`;
    throw new UnixSocketError('PathTooLong', path, message);
  }
  await refuseUnlessStale(path);
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
    const cause = code === 'ENOENT' ? `the folder ${folder} does not exist` : (error as Error).message;
    throw new UnixSocketError('Unusable', path, `cannot open the socket ${path}: ${cause}`, { cause: error });
  }
  return {
    [Symbol.asyncDispose]: () =>
      unlink(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      }),
  };
}

async function refuseUnlessStale(path: string): Promise<void> {
  const stat = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new UnixSocketError('Unusable', path, `cannot open the socket ${path}: ${error.message}`, { cause: error });
  });
  if (stat === undefined) return;
  if (!stat.isSocket()) {
    throw new UnixSocketError(
      'NotASocket',
      path,
      `${path} exists and is not a socket: remove it or choose another path`,
    );
  }
  if (await answers(path)) {
    const message = `the socket ${path} is served by another process: stop that one or choose another path`;
    throw new UnixSocketError('InUse', path, message);
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Only a refused connection tells that nobody listens; whatever else goes wrong, somebody may.
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
