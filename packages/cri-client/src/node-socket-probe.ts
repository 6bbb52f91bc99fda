import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { type Clock, onAbort } from '@rxlet/component-base';
import type { SocketFinding, SocketProbe } from './socket-probe.ts';

/** Timeout of the server's first bytes. */
const ANSWER_TIMEOUT_MS = 250;

/** First bytes of an HTTP/2 client: the preface, then an empty SETTINGS frame (RFC 9113, 3.4). */
const GREETING = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0)]);

/** Creates the {@link SocketProbe} that checks the path by the file system, then connects, sends a greeting and reads the first bytes of the peer. */
export function createNodeSocketProbe(clock: Clock): SocketProbe {
  return {
    async examine(path, signal) {
      let stats: Stats;
      try {
        stats = await stat(path);
      } catch (error) {
        return await errorFinding(error as NodeJS.ErrnoException, path, undefined);
      }
      if (!stats.isSocket()) return { kind: 'not-a-socket', what: fileType(stats) };
      const answer = await connectAndProbe(clock, path, signal);
      return answer instanceof Error ? await errorFinding(answer, path, stats) : { kind: answer };
    },
  };
}

function connectAndProbe(
  clock: Clock,
  path: string,
  signal: AbortSignal,
): Promise<'answers' | 'foreign' | 'closed' | 'silent' | Error> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let listener: Disposable | undefined = undefined;
    const end = (outcome: 'answers' | 'foreign' | 'closed' | 'silent' | Error): void => {
      timer[Symbol.dispose]();
      listener?.[Symbol.dispose]();
      socket.destroy();
      resolve(outcome);
    };
    const giveUp = (): void => end('silent');
    const timer = clock.setTimer(ANSWER_TIMEOUT_MS, giveUp);
    const socket = connect(path, () => socket.write(GREETING));
    socket.on('data', (chunk) => {
      received.push(chunk);
      const finding = classifyResponse(Buffer.concat(received));
      if (finding !== undefined) end(finding);
    });
    socket.on('close', () => end(received.length > 0 ? 'foreign' : 'closed'));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 'closed' : error),
    );
    listener = onAbort(signal, giveUp);
  });
}

/** An HTTP/2 server's first frame is SETTINGS (type 4) on stream 0, at most a few dozen bytes long. `undefined`: more bytes are needed. */
function classifyResponse(bytes: Buffer): 'answers' | 'foreign' | undefined {
  if (bytes[0] !== 0) return 'foreign';
  if (bytes.length < 9) return undefined;
  return bytes[3] === 4 && bytes.readUInt32BE(5) === 0 ? 'answers' : 'foreign';
}

async function errorFinding(
  error: NodeJS.ErrnoException,
  path: string,
  stats: Stats | undefined,
): Promise<SocketFinding> {
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'missing', missingFolder: await firstMissingFolder(path) };
    case 'EACCES':
    case 'EPERM':
      return { kind: 'permission-denied', owner: stats && ownerOf(stats) };
    case 'ECONNREFUSED':
      return { kind: 'refused' };
    default:
      return { kind: 'failed', message: error.message };
  }
}

async function firstMissingFolder(path: string): Promise<string | undefined> {
  let missing: string | undefined;
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
    const exists = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (exists) break;
    missing = folder;
  }
  return missing;
}

function fileType(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFile()) return 'a regular file';
  return stats.isFIFO() ? 'a named pipe' : 'a device';
}

function ownerOf(stats: Stats): string {
  return `mode ${(stats.mode & 0o777).toString(8).padStart(4, '0')}, owner ${String(stats.uid)}:${String(stats.gid)}`;
}
