import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOnUnixSocket } from '@rxlet/component-base/unix-socket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRootDirectory, runningAgents } from './find-agent.ts';

const HEAD = 'Num       RefCount Protocol Flags    Type St Inode Path';
const listening = (path: string): string => `0000000000000000: 00000002 00000000 00010000 0001 01 26415 ${path}`;
const connected = (path: string): string => `0000000000000000: 00000003 00000000 00000000 0001 03 26416 ${path}`;
const machine = (lines: readonly string[], served: readonly string[]) => ({
  readUnixSockets: () => Promise.resolve([HEAD, ...lines].join('\n')),
  isServed: (path: string) => Promise.resolve(served.includes(path)),
});

describe('findRootDirectory', () => {
  const two = machine([listening('/a/.s-Xy12zz/s'), listening('/b/.s-Xy12zz/s')], ['/a/rxlet.sock', '/b/rxlet.sock']);

  it('prefers the flag, then the variable, which need no running agent', async () => {
    expect(await findRootDirectory('/flag', { RXLET_ROOT: '/variable' }, two)).toBe('/flag');
    expect(await findRootDirectory(undefined, { RXLET_ROOT: '/variable' }, two)).toBe('/variable');
    expect(await findRootDirectory(undefined, { RXLET_ROOT: '' }, machine([], []))).toBe('/var/lib/kubelet');
  });

  it('finds the only running agent', async () => {
    const one = machine(
      [
        listening('/x/.s-abcdef/s'),
        listening('/a/.s-Xy12zz/s'),
        listening('/a/.s-Other1/s'),
        connected('/c/.s-123456/s'),
      ],
      ['/a/rxlet.sock', '/c/rxlet.sock'],
    );
    expect(await findRootDirectory(undefined, {}, one)).toBe('/a');
  });

  it('finds an agent at the default place that is not in the table', async () => {
    const fallback = machine([listening('@abstract'), listening('/run/other.sock')], ['/var/lib/kubelet/rxlet.sock']);
    expect(await runningAgents(fallback)).toEqual(['/var/lib/kubelet']);
  });

  it('does not guess between two', async () => {
    await expect(findRootDirectory(undefined, {}, two)).rejects.toThrow(
      '2 agents run on this machine: choose one with --root-dir or RXLET_ROOT\n  --root-dir /a\n  --root-dir /b',
    );
  });
});

describe('runningAgents on this machine', () => {
  let folder: string;
  const servers: Server[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-find-'));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('finds a socket while it is served', async () => {
    const server = createServer();
    servers.push(server);
    await using _socket = await listenOnUnixSocket(server, join(folder, 'rxlet.sock'));
    expect(await runningAgents()).toContain(folder);
    await new Promise((resolve) => server.close(resolve));
    expect(await runningAgents()).not.toContain(folder);
  });
});
