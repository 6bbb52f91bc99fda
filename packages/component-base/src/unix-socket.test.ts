import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenOnUnixSocket } from './unix-socket.ts';

describe('listenOnUnixSocket', () => {
  let folder: string;
  const servers: Server[] = [];
  const newServer = (): Server => {
    const server = createServer((socket) => socket.on('error', () => undefined).end('hello'));
    servers.push(server);
    return server;
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sock-'));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const read = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = '';
      connect(path)
        .on('data', (data) => (text += data.toString()))
        .on('end', () => resolve(text))
        .on('error', reject);
    });

  it('serves at the path with the requested mode, and leaves nothing else in the folder', async () => {
    const path = join(folder, 'a.sock');
    const socket = await listenOnUnixSocket(newServer(), path, 0o660);
    expect(await read(path)).toBe('hello');
    expect((await stat(path)).mode & 0o777).toBe(0o660);
    expect(await readdir(folder)).toEqual(['a.sock']);
    await socket[Symbol.asyncDispose]();
    await socket[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual([]);
  });

  it('replaces a socket without a server', async () => {
    const path = join(folder, 'a.sock');
    const dead = newServer();
    await listenOnUnixSocket(dead, path);
    // Closing leaves the moved socket file behind, as the end of a killed process does.
    await new Promise((resolve) => dead.close(resolve));
    await expect(read(path)).rejects.toThrow('ECONNREFUSED');
    await listenOnUnixSocket(newServer(), path);
    expect(await read(path)).toBe('hello');
  });

  it('rejects a live socket', async () => {
    const path = join(folder, 'a.sock');
    await listenOnUnixSocket(newServer(), path);
    await expect(listenOnUnixSocket(newServer(), path)).rejects.toMatchObject({ reason: 'InUse', path });
    expect(await read(path)).toBe('hello');
  });

  it('does not touch a file that is not a socket', async () => {
    const path = join(folder, 'a.sock');
    await writeFile(path, 'precious');
    await chmod(path, 0o600);
    await expect(listenOnUnixSocket(newServer(), path)).rejects.toMatchObject({ reason: 'NotASocket' });
    expect((await stat(path)).size).toBe(8);
  });

  it('names a missing folder', async () => {
    const path = join(folder, 'missing', 'a.sock');
    await expect(listenOnUnixSocket(newServer(), path)).rejects.toThrow(
      `the folder ${join(folder, 'missing')} does not exist`,
    );
  });

  it('rejects a path that the kernel would truncate', async () => {
    const path = join(folder, 'x'.repeat(120));
    await expect(listenOnUnixSocket(newServer(), path)).rejects.toMatchObject({ reason: 'PathTooLong' });
  });
});
