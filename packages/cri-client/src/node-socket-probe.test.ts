import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeSocketProbe } from './node-socket-probe.ts';
import type { SocketFinding } from './socket-probe.ts';
import { startCriServer, startRawServer, temporaryFolder } from './test-support/test-servers.ts';

const NOBODY = 65534;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const never = new AbortController().signal;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const pathOf = (name: string): string => join(folder.path, name);
const examine = (name: string): Promise<SocketFinding> =>
  createNodeSocketProbe(systemClock).examine(pathOf(name), never);

/** Runs `task` without the privileges by which root passes all permission checks. */
async function asNobody<T>(task: () => Promise<T>): Promise<T> {
  const privileged = process.geteuid?.() === 0;
  if (privileged) process.seteuid?.(NOBODY);
  try {
    return await task();
  } finally {
    if (privileged) process.seteuid?.(0);
  }
}

describe('createNodeSocketProbe', () => {
  it('distinguishes a missing socket from a missing folder', async () => {
    expect(await examine('nothing')).toEqual({ kind: 'missing', missingFolder: undefined });
    expect(await examine('a/b/nothing')).toEqual({ kind: 'missing', missingFolder: pathOf('a') });
  });

  it('reports a path that is not a socket', async () => {
    await writeFile(pathOf('file'), '');
    expect(await examine('file')).toEqual({ kind: 'not-a-socket', what: 'a regular file' });
    expect(await examine('.')).toEqual({ kind: 'not-a-socket', what: 'a directory' });
    expect(await examine('file/x')).toMatchObject({ kind: 'missing' });
  });

  it('reports a forbidden socket, and its owner', async () => {
    await chmod(folder.path, 0o755);
    await using _server = await startRawServer(pathOf('guarded'), () => undefined);
    await chmod(pathOf('guarded'), 0o600);
    const finding = await asNobody(() => examine('guarded'));
    // Not run as root, a server's own socket stays open to the test.
    if (process.getuid?.() === 0) expect(finding).toEqual({ kind: 'permission-denied', owner: 'mode 0600, owner 0:0' });
  });

  it('reports a forbidden folder above the socket', async () => {
    await mkdir(pathOf('closed-folder'), { mode: 0o000 });
    await chmod(folder.path, 0o755);
    expect(await asNobody(() => examine('closed-folder/x'))).toEqual({ kind: 'permission-denied', owner: undefined });
  });

  it('reports a stale socket', async () => {
    const server = await startRawServer(pathOf('stale'), () => undefined);
    const { link } = await import('node:fs/promises');
    await link(pathOf('stale'), pathOf('left'));
    await server[Symbol.asyncDispose]();
    expect(await examine('left')).toEqual({ kind: 'refused' });
  });

  it('recognises a gRPC server', async () => {
    await using _server = await startCriServer(pathOf('grpc'), {});
    expect(await examine('grpc')).toEqual({ kind: 'answers' });
  });

  it.each([
    ['a line at once', 'SSH-2.0-OpenSSH\r\n'],
    ['a zero and then other bytes', '\0\0\0\0\0\0\0\0\0'],
  ])('recognises a server of another protocol by %s', async (_case, words) => {
    await using _server = await startRawServer(pathOf('foreign'), (socket) => socket.write(words));
    expect(await examine('foreign')).toEqual({ kind: 'foreign' });
  });

  it('recognises a server whose answer is too short for HTTP/2', async () => {
    await using _server = await startRawServer(pathOf('short'), (socket) => socket.end('\0\0'));
    expect(await examine('short')).toEqual({ kind: 'foreign' });
  });

  it('reports that connections are closed at once', async () => {
    await using _server = await startRawServer(pathOf('closer'), (socket) => socket.end());
    expect(await examine('closer')).toEqual({ kind: 'closed' });
  });

  it('times out on a silent server after a quarter of a second', async () => {
    const clock = createVirtualClock();
    const connected = Promise.withResolvers<void>();
    await using _server = await startRawServer(pathOf('silent'), () => connected.resolve());
    const finding = createNodeSocketProbe(clock).examine(pathOf('silent'), never);
    await connected.promise;
    await clock.advance(250);
    expect(await finding).toEqual({ kind: 'silent' });
  });

  it('ends early when its signal aborts, and leaves no timer', async () => {
    const clock = createVirtualClock();
    const controller = new AbortController();
    await using _server = await startRawServer(pathOf('waiting'), () => controller.abort());
    await createNodeSocketProbe(clock).examine(pathOf('waiting'), controller.signal);
    expect(clock.pendingTimers).toBe(0);
  });
});
