import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { RuntimeServiceDescriptor } from '@rxlet/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const COMMAND = fileURLToPath(new URL('../bin/fake-runtime', import.meta.url));

let folder: string;
let child: ChildProcessByStdio<null, Readable, Readable> | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fake-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

describe('bin/fake-runtime', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('serves until %s, and leaves no socket behind', async (signal) => {
    // As npm links it into node_modules/.bin.
    await symlink(COMMAND, join(folder, 'fake-runtime'));
    child = spawn('./fake-runtime', ['--listen', `unix://${folder}/fake.sock`, '--seed', '1'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'exit');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(line).toBe(`fake runtime listening on unix://${folder}/fake.sock`);

    const nodeOptions = { createConnection: () => connect(join(folder, 'fake.sock')) };
    const transport = createGrpcTransport({ baseUrl: 'http://localhost', nodeOptions });
    const client = createClient(RuntimeServiceDescriptor, transport);
    expect(await client.version({})).toMatchObject({ runtimeName: 'fake', runtimeApiVersion: 'v1' });

    child.kill(signal);
    expect(await exited).toEqual([0, null]);
    expect(await readdir(folder)).toEqual(['fake-runtime']);
  });
});
